package shop.store;

/** What has a price. */
public interface Priced extends Named {
    int FREE = 0;

    /** The price in cents. */
    int price();

    default boolean isFree() {
        return price() == FREE;
    }
}

interface Named {
    String name();
}
