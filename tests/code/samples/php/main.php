<?php

namespace Shop;

use Shop\Store\{Item, Priced as HasPrice};
use function Shop\Store\total;

class Main
{
    public function __construct(private Item $pen)
    {
    }

    public function run(): int
    {
        $book = new Item('book', 1);
        missing($book);

        return total($book, $this->pen) + Item::make()->price() + report($book);
    }
}

function report(HasPrice $thing): int
{
    $twice = fn (int $n) => $n * 2;

    return $twice($thing->price());
}
