#include <stdio.h>
#include "store.h"

static int rounded(int n) { return n; }

static pricer choose(void) {
    return item_price;
}

int main(int argc, char **argv) {
    shelf all = {0};
    item_t *pen = item_new("pen", rounded(argc));
    all.items[all.count++] = pen;
    if (is_free(pen) && all.count < MAX_ITEMS)
        puts("free");
    return missing(choose()(pen));
}
