package main

import (
	"fmt"

	shelf "example.com/shop/store"
)

func main() {
	pen := shelf.New("pen", 120)
	fmt.Println(report(pen), missing(pen))
}

/*
report says what an item costs.
*/
func report(item *shelf.Item) string {
	return fmt.Sprint(item.Label(), item.Price())
}
