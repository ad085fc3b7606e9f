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
				now.round(warmUp)
			}
			fmt.Println("ready")
		} else {
			period := time.Duration(number(words[1])) * time.Millisecond
			must(json.NewEncoder(os.Stdout).Encode(now.round(period)))
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
	round   func(time.Duration) result
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
		now.round = func(period time.Duration) result { return cycles(own, period) }
	case "shared":
		now.round = func(period time.Duration) result { return cycles(shared, period) }
	case "hand_over":
		first, second := locks(name), client(1)(name)
		now.round = func(period time.Duration) result { return handOver(first, second, period) }
	case "hold":
		now.round = func(time.Duration) result { return hold(own) }
	default:
		must(fmt.Errorf("there is no scenario %q", kind))
	}
	return now
}
