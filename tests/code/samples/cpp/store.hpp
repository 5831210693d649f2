#pragma once
#include <string>
#include <vector>

namespace shop {
namespace store {

/// What has a price.
class Priced {
 public:
  virtual ~Priced() = default;
  virtual int price() const = 0;
};

enum class Kind { Book, Pen };

using Money = long;
typedef unsigned int Count;

constexpr int kMaxItems = 8;

struct Base {
  std::string label;
  const std::string& name() const { return label; }
};

/**
 * One thing on the shelf.
 */
class Item : public Base, public Priced {
 public:
  Item(const std::string& label, Money cost);
  ~Item() override;

  /// The price in cents.
  int price() const override;

  bool operator==(const Item& other) const;
  static Item make();

  class Tag {
   public:
    int id() const;
  };

 private:
  int rounded() const { return cost_ - cost_ % 5; }
  Money cost_;
  Kind kind_ = Kind::Book;
};

/// Holds things of one type.
template <typename T>
class Shelf {
 public:
  [[nodiscard]] bool put(T thing);
  int size() const { return static_cast<int>(things_.size()); }

 private:
  std::vector<T> things_;
};

template <typename T>
bool Shelf<T>::put(T thing) {
  if (size() >= kMaxItems) return false;
  things_.push_back(thing);
  return true;
}

int total(const Item& a, const Item& b);

}  // namespace store
}  // namespace shop
