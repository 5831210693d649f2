require_relative "store"

module Shop
  class Item
    def describe
      "#{label}: #{price}"
    end
  end

  module_function

  def log(text)
    text
  end
end

class Shop::Shelf
  def put(item)
    raise Shop::Error, "full" if item.free?

    Shop::Item.free("x").describe
  end
end
