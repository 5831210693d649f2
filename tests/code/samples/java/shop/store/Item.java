package shop.store;

import java.util.Objects;

/**
 * One thing on the shelf.
 *
 * @author nobody
 */
public class Item extends Base implements Priced {
    /** The most a shelf holds. */
    public static final int MAX_ITEMS = 8;
    private final Kind kind;
    private int cost;

    static {
        register();
    }

    /** Makes an item. */
    public Item(String label, int cost) {
        super(label);
        this.cost = cost;
        this.kind = Kind.BOOK;
    }

    @Override
    public int price() {
        if (cost < 0 || kind == null) {
            return 0;
        }
        return this.rounded() + MAX_ITEMS;
    }

    private int rounded() {
        return cost - cost % 5;
    }

    @Override
    public String name() {
        return Objects.toString(label());
    }

    static void register() {
    }

    /** Sorts of items. */
    public enum Kind implements Coded {
        BOOK, PEN;

        public int code() {
            return ordinal();
        }
    }

    interface Coded {
        int code();
    }

    /** Where an item is. */
    public record Place(int shelf, int row) {
        Place {
            if (row < 0) throw new IllegalArgumentException();
        }

        int index() {
            return shelf * MAX_ITEMS + row;
        }
    }
}

abstract class Base {
    private final String label;

    Base(String label) {
        this.label = label;
    }

    String label() {
        return label;
    }
}
