<?php

declare(strict_types=1);

namespace Shop\Store;

use Attribute;
use Shop\Support\Logs;

/** The most a shelf holds. */
const MAX_ITEMS = 8;

define('SHOP_NAME', 'corner');

/** What has a price. */
interface Priced extends Named
{
    public const FREE = 0;

    public function price(): int;
}

interface Named
{
}

#[Attribute]
final class Audited
{
}

enum Kind: string implements Named
{
    case Book = 'book';
    case Pen = 'pen';

    public function label(): string
    {
        return ucfirst($this->value);
    }
}

abstract class Base
{
    public function __construct(protected string $label)
    {
    }

    protected function rounded(int $n): int
    {
        return $n - $n % 5;
    }
}

/**
 * One thing on the shelf.
 */
class Item extends Base implements Priced
{
    use Logs;

    private const STEP = 5;
    private int $cost;
    private Kind $kind;

    public function __construct(string $label, int $cost)
    {
        parent::__construct($label);
        $this->cost = $cost;
        $this->kind = Kind::Book;
    }

    /** The price in cents. */
    #[Audited]
    public function price(): int
    {
        if ($this->cost < 0 || $this->kind === Kind::Pen) {
            return self::FREE;
        }
        $this->log('price');

        return $this->rounded($this->cost) + MAX_ITEMS;
    }

    public static function make(): static
    {
        return new static('pen', self::STEP);
    }
}

function total(Item $a, ?Item $b = null): int
{
    return $a->price() + ($b?->price() ?? 0);
}
