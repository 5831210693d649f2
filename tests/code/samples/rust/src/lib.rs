//! A shop.

pub mod store;

use crate::store::item::{Item, Priced as HasPrice};
use store::shelf;

/// The most a shelf holds.
pub const MAX_ITEMS: usize = 8;

static GREETING: &str = "hello";

/// Adds one.
#[macro_export]
macro_rules! plus_one {
    ($x:expr) => {
        $x + 1
    };
}

/// Says what an item costs.
#[inline]
pub fn report(item: &Item) -> String {
    let pen = Item::new("pen", 120);
    let all = plus_one!(item.price() + pen.price());
    format!("{} {}", GREETING, all)
}

pub fn fill() -> usize {
    let mut s = shelf::Shelf::default();
    s.put(Item::new("book", 1));
    unknown_call();
    shelf::count(&s)
}

fn cost_of<T: HasPrice>(thing: T) -> u32 {
    thing.price()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports() {
        assert_eq!(report(&Item::new("a", 1)), "x");
    }
}

use shop_macros::logged;

#[logged]
fn audit() {}
