package shop;

import static shop.store.Item.MAX_ITEMS;

import shop.store.Item;
import shop.store.Priced;

@Audited("main")
public final class Main {
    private final Item pen = new Item("pen", MAX_ITEMS);

    /** Says what a thing costs. */
    @Audited
    static String report(Priced thing) {
        return "costs " + thing.price();
    }

    int run(Item other) {
        Item copy = other;
        missing(copy);
        Runnable later = new Runnable() {
            @Override
            public void run() {
                report(pen);
            }
        };
        later.run();
        return copy.price() + pen.price();
    }
}
