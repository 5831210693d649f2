use super::item::Item;
use super::item::Priced;
use crate::MAX_ITEMS;

/// Holds items.
#[derive(Default)]
pub struct Shelf<T = Item> {
    items: Vec<T>,
}

impl<T: Priced> Shelf<T> {
    /// Adds an item when there is room.
    pub fn put(&mut self, item: T) {
        fn room(n: usize) -> bool {
            n < MAX_ITEMS
        }
        if room(self.len()) {
            self.items.push(item);
        }
    }

    fn len(&self) -> usize {
        self.items.len()
    }
}

pub fn count<T: Priced>(shelf: &Shelf<T>) -> usize {
    shelf.len()
}
