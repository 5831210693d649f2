#include "store.hpp"

namespace shop {
namespace store {

namespace {
int helper(int n) { return n; }
}  // namespace

Item::Item(const std::string& label, Money cost) : Base{label}, cost_(cost) {}

Item::~Item() {}

// Never negative.
int Item::price() const {
  if (cost_ < 0 && kind_ == Kind::Pen) return 0;
  return helper(this->rounded());
}

bool Item::operator==(const Item& other) const { return cost_ == other.cost_; }

Item Item::make() { return Item("pen", 120); }

int Item::Tag::id() const { return 1; }

int total(const Item& a, const Item& b) { return a.price() + b.price(); }

}  // namespace store
}  // namespace shop
