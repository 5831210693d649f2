require "shop/store"
require "shop/more"

def report(item)
  item.describe
end

def main
  pen = Shop::Item.new("pen", 120)
  report(pen)
  Shop.log(pen.price)
  Shop::Item.make
  missing(pen)
  shelf = Shop::Shelf.new
  shelf.put(pen)
end

main if $PROGRAM_NAME == __FILE__
