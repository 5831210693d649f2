#ifndef STORE_H
#define STORE_H

/* The most a shelf holds. */
#define MAX_ITEMS 8
#define ROUND(n) ((n) - (n) % 5)

enum kind { BOOK, PEN };

/* One thing on the shelf. */
typedef struct item {
    const char *label;
    int cost;
    enum kind kind;
} item_t;

typedef struct {
    item_t *items[MAX_ITEMS];
    int count;
} shelf;

typedef int (*pricer)(const item_t *);
typedef unsigned long money;

union bits {
    unsigned whole;
    unsigned short half[2];
};

item_t *item_new(const char *label, int cost);
int item_price(const item_t *item);

static inline int is_free(const item_t *item) {
    return item_price(item) == 0;
}

#endif
