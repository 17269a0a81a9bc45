package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// script is the writes of one life, with placeholders for what another life has otherwise.
type script struct {
	Automations []string `json:"automations"`
	Steps       []step   `json:"steps"`
}

type step struct {
	Method      string `json:"method"`
	Path        string `json:"path"`
	ContentType string `json:"contentType"`
	Body        string `json:"body"`
}

// replayer makes all writes of one life with each call, one after the other, as each is there because of those before it.
func replayer(o options) (func() error, error) {
	text, err := os.ReadFile(o.script)
	if err != nil {
		return nil, err
	}
	var s script
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, err
	}
	client, err := plainClient(o.kubeconfig)
	if err != nil {
		return nil, err
	}
	var lives atomic.Uint64
	return func() error {
		life := lives.Add(1)
		return s.live(client, life, s.Automations[life%uint64(len(s.Automations))])
	}, nil
}

func plainClient(kubeconfig string) (*rest.RESTClient, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, err
	}
	config.QPS = -1
	config.GroupVersion = &schema.GroupVersion{Version: "v1"}
	config.NegotiatedSerializer = serializer.NewCodecFactory(runtime.NewScheme()).WithoutConversion()
	return rest.UnversionedRESTClientFor(config)
}

func (s script) live(client *rest.RESTClient, life uint64, automation string) error {
	own := []string{"{{automation}}", automation}
	for made := range s.made() {
		own = append(own, fmt.Sprintf("{{name %d}}", made), fmt.Sprintf("replayed-%d-%d", life, made))
	}
	made := 0
	for _, step := range s.Steps {
		fill := strings.NewReplacer(own...)
		request := client.Verb(step.Method).RequestURI(fill.Replace(step.Path))
		if step.Body != "" {
			request = request.SetHeader("Content-Type", step.ContentType).Body([]byte(fill.Replace(step.Body)))
		}
		answer, err := request.Do(context.Background()).Raw()
		if err != nil {
			return fmt.Errorf("%s %s: %s", step.Method, step.Path, err)
		}
		if step.Method != "POST" {
			continue
		}
		uid, err := uidIn(answer)
		if err != nil {
			return err
		}
		own = append(own, fmt.Sprintf("{{uid %d}}", made), uid)
		made++
	}
	return nil
}

// made is how many objects one life creates.
func (s script) made() int {
	count := 0
	for _, step := range s.Steps {
		if step.Method == "POST" {
			count++
		}
	}
	return count
}

func uidIn(answer []byte) (string, error) {
	var object struct {
		Metadata struct {
			UID string `json:"uid"`
		} `json:"metadata"`
	}
	err := json.Unmarshal(answer, &object)
	return object.Metadata.UID, err
}
