package main

import (
	"context"
	"fmt"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"
	"github.com/redis/go-redis/v9"
)

const lease = 30 * time.Second

// A locker is one worker's access to one lock.
type locker interface {
	acquire() error
	release() error
}

// A maker gives each worker its own; they share the client's pool of connections.
type maker func(name string) locker

// Also returns what closes the client.
func connect(address, library string, connections int) (maker, func() error, error) {
	client := redis.NewClient(&redis.Options{Addr: address, PoolSize: connections})
	switch library {
	case "redislock":
		locks := redislock.New(client)
		return func(name string) locker { return &bsmLocker{locks: locks, name: name} }, client.Close, nil
	case "redsync":
		locks := redsync.New(goredis.NewPool(client))
		return func(name string) locker {
			// The default gives up after 32 tries.
			return &redsyncLocker{locks.NewMutex(name, redsync.WithExpiry(lease), redsync.WithTries(1<<30))}
		}, client.Close, nil
	}
	return nil, nil, fmt.Errorf("there is no library %q", library)
}

type bsmLocker struct {
	locks *redislock.Client
	name  string
	held  *redislock.Lock
}

func (one *bsmLocker) acquire() (err error) {
	// As its documentation waits.
	wait := &redislock.Options{RetryStrategy: redislock.LinearBackoff(100 * time.Millisecond)}
	one.held, err = one.locks.Obtain(context.Background(), one.name, lease, wait)
	return err
}

func (one *bsmLocker) release() error {
	return one.held.Release(context.Background())
}

type redsyncLocker struct {
	mutex *redsync.Mutex
}

func (one *redsyncLocker) acquire() error {
	return one.mutex.Lock()
}

func (one *redsyncLocker) release() error {
	_, err := one.mutex.Unlock()
	return err
}
