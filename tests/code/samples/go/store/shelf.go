package store

// Shelf holds items of one type.
type Shelf[T Pricer] struct {
	items []T
	first *Item
}

// Put adds an item, or fails when the shelf is full.
func (s *Shelf[T]) Put(item T) error {
	if len(s.items) >= MaxItems {
		return ErrFull
	}
	s.items = append(s.items, item)
	return nil
}

// Sum adds up the prices.
func Sum[T Pricer](s *Shelf[T]) (total int) {
	for _, item := range s.items {
		total += item.Price()
	}
	if s.first != nil {
		total += s.first.Price()
	}
	return total
}
