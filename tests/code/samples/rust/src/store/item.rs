/// Cents.
pub type Money = u32;

/// What has a label.
pub trait Labeled {
    fn label(&self) -> &str;
}

/// What has a price.
pub trait Priced: Labeled {
    const FREE: Money = 0;

    /// The price in cents.
    fn price(&self) -> Money;

    fn is_free(&self) -> bool {
        self.price() == Self::FREE
    }
}

/// Sorts of items.
#[derive(Debug, Clone)]
pub enum Kind {
    Book,
    Pen { ink: u8 },
}

/// One thing on the shelf.
#[derive(Clone)]
pub struct Item {
    label: String,
    cost: Money,
    kind: Kind,
}

impl Item {
    /// Makes an item.
    pub fn new(label: &str, cost: Money) -> Self {
        Item { label: label.to_string(), cost, kind: Kind::Book }
    }

    fn rounded(&self) -> Money {
        match self.kind {
            Kind::Book => self.cost - self.cost % 5,
            Kind::Pen { ink } => ink as Money,
        }
    }
}

impl Labeled for Item {
    fn label(&self) -> &str {
        &self.label
    }
}

impl Priced for Item {
    fn price(&self) -> Money {
        self.rounded()
    }
}

/// Two views of one number.
pub union Bits {
    whole: u32,
    half: [u16; 2],
}
