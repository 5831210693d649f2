#include "store.h"
#include <stdlib.h>

static const int free_cost = 0;
int made;

/* Rounds down. */
static int rounded(const item_t *item) {
    return ROUND(item->cost);
}

/*
 * Makes an item.
 */
item_t *
item_new(const char *label, int cost)
{
    item_t *item = malloc(sizeof(struct item));
    item->label = label;
    made++;
    return item;
}

// The price in cents.
// Never negative.
int item_price(const item_t *item) {
    if (item->cost < 0 || item->kind == PEN)
        return free_cost;
    return rounded(item);
}
