// Load for the benchmarks: raw creates by client-go, deliveries to an ingress, and the sender's own ceiling.
//
//	load create  -kubeconfig FILE -object FILE [-fixed-name]   creates the object again and again
//	load post    -targets FILE -body FILE -want-status N       posts the body to each target in turn
//	load replay  -kubeconfig FILE -script FILE                 makes the writes of one life again and again
//	load ceiling -body FILE                                    posts to a server in this process
//
// All take -in-flight, -seconds and -count. One JSON document on standard output says what came of it.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
)

type options struct {
	kubeconfig, object, targets, body, wantText, script string
	wantStatus, inFlight                                int
	count                                               int64
	seconds                                             float64
	fixedName                                           bool
}

func main() {
	if len(os.Args) < 2 {
		fail(fmt.Errorf("say what to do: create, post, replay or ceiling"))
	}
	var o options
	flags := flag.NewFlagSet(os.Args[1], flag.ExitOnError)
	flags.StringVar(&o.kubeconfig, "kubeconfig", "", "file")
	flags.StringVar(&o.object, "object", "", "file with the object to create, as JSON")
	flags.StringVar(&o.targets, "targets", "", "file with a JSON list of {url, key}")
	flags.StringVar(&o.body, "body", "", "file with the body to post")
	flags.StringVar(&o.wantText, "want-text", "", "what every answer's body must contain")
	flags.StringVar(&o.script, "script", "", "file with the writes of one life, as JSON")
	flags.IntVar(&o.wantStatus, "want-status", 200, "status that every answer must have")
	flags.IntVar(&o.inFlight, "in-flight", 1, "requests under way at once")
	flags.Float64Var(&o.seconds, "seconds", 5, "how long")
	flags.Int64Var(&o.count, "count", math.MaxInt64, "how many at most")
	flags.BoolVar(&o.fixedName, "fixed-name", false, "creates one name only, so that it exists already")
	if err := flags.Parse(os.Args[2:]); err != nil {
		fail(err)
	}
	send, err := sender(os.Args[1], o)
	if err != nil {
		fail(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(measure(send, o)); err != nil {
		fail(err)
	}
}

func sender(what string, o options) (func() error, error) {
	switch what {
	case "create":
		return creator(o)
	case "replay":
		return replayer(o)
	case "post":
		return poster(o)
	case "ceiling":
		return ceiling(o)
	}
	return nil, fmt.Errorf("%q is not create, post, replay or ceiling", what)
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "load:", err)
	os.Exit(1)
}
