// Package store keeps what is sold.
package store

import "errors"

// MaxItems is the most a shelf holds.
const MaxItems = 8

const (
	kindBook = iota
	kindPen
)

// ErrFull says that the shelf has no room.
var ErrFull = errors.New("full")

// Pricer has a price.
type Pricer interface {
	// Price is in cents.
	Price() int
}

// Named has a name.
type Named interface {
	Pricer
	Name() string
}

// Money is a number of cents.
type Money int

// Base carries what every item has.
type Base struct {
	label string
}

// Label is the item's text.
func (b *Base) Label() string {
	return b.label
}

// Item is one thing on the shelf.
type Item struct {
	Base
	cost Money
	next *Item
}

// New makes an item.
func New(label string, cost Money) *Item {
	return &Item{Base: Base{label: label}, cost: cost}
}

// Price implements Pricer.
func (i *Item) Price() int {
	if i.cost < 0 {
		return 0
	}
	return i.total() + MaxItems
}

func (i *Item) total() int {
	round := func(n int) int { return n - n%5 }
	return round(int(i.cost)) + len(i.Label())
}

var _ Pricer = (*Item)(nil)
