#include "store.hpp"

using namespace shop::store;

#define TWICE(x) ((x) * 2)

int report(const Item& item) {
  auto add = [](int n) { return n + 1; };
  return TWICE(add(item.price()));
}

int main() {
  Item pen = Item::make();
  auto* book = new shop::store::Item("book", 1);
  Shelf<Item> shelf;
  shelf.put(pen);
  missing(pen);
  return report(*book) + shop::store::total(pen, *book) + pen.name().size();
}
