// Command peer measures bsm/redislock and redsync: the protocol of bench/peers/README.md.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "peer:", err)
		os.Exit(1)
	}
}

const warmUp = 200 * time.Millisecond

func main() {
	address, name, library := os.Args[1], os.Args[2], ""
	for _, option := range os.Args[3:] {
		if value, found := strings.CutPrefix(option, "library="); found {
			library = value
		}
	}
	var now play
	for orders := bufio.NewScanner(os.Stdin); orders.Scan(); {
		words := strings.Fields(orders.Text())
		if words[0] == "play" {
			for _, close := range now.closers {
				must(close())
			}
			now = prepare(address, library, words[1], number(words[2]), name)
			if words[1] != "hold" {
				now.round(newWindow(0, warmUp, func() {}))
			}
			fmt.Println("ready")
		} else {
			settle := time.Duration(number(words[1])) * time.Millisecond
			period := time.Duration(number(words[2])) * time.Millisecond
			begun := func() { fmt.Println("begun") }
			must(json.NewEncoder(os.Stdout).Encode(now.round(newWindow(settle, period, begun))))
		}
	}
}

func number(text string) int {
	value, err := strconv.Atoi(text)
	must(err)
	return value
}

// A scenario with its clients.
type play struct {
	round   func(window) result
	closers []func() error
}

func prepare(address, library, kind string, count int, name string) (now play) {
	client := func(connections int) maker {
		locks, close, err := connect(address, library, connections)
		must(err)
		now.closers = append(now.closers, close)
		return locks
	}
	locks := client(count)
	var own, shared []locker
	for number := range count {
		own = append(own, locks(fmt.Sprintf("%s:%d", name, number)))
		shared = append(shared, locks(name))
	}
	switch kind {
	case "own":
		now.round = func(when window) result { return cycles(own, when) }
	case "shared":
		now.round = func(when window) result { return cycles(shared, when) }
	case "hand_off":
		first, second := locks(name), client(1)(name)
		now.round = func(when window) result { return handOff(first, second, when) }
	case "hold":
		now.round = func(when window) result { return hold(own, when) }
	default:
		must(fmt.Errorf("there is no scenario %q", kind))
	}
	return now
}
