# frozen_string_literal: true

module Shop
  # What has a price.
  module Priced
    def free?
      price.zero?
    end
  end

  # Errors of the shop.
  class Error < StandardError; end

  class Base
    attr_reader :label

    def initialize(label)
      @label = label
    end
  end

  # One thing on the shelf.
  class Item < Base
    include Priced
    extend Comparable

    MAX_ITEMS = 8

    attr_accessor :cost, :kind

    # Makes an item for nothing.
    def self.free(label)
      new(label, 0)
    end

    class << self
      def make
        free("pen")
      end
    end

    def initialize(label, cost)
      super(label)
      @cost = cost
    end

    # The price in cents.
    def price
      return 0 if cost.negative?

      rounded + MAX_ITEMS
    end

    def <=>(other)
      price <=> other.price
    end

    alias_method :amount, :price
    alias total price

    define_method(:twice) { price * 2 }

    private

    def rounded
      cost - cost % 5
    end
  end

  Place = Struct.new(:shelf, :row) do
    def index
      shelf * Item::MAX_ITEMS + row
    end
  end
end
