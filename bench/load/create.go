package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/clientcmd"
)

var runs = schema.GroupVersionResource{Group: "runwright.dev", Version: "v1alpha1", Resource: "runs"}

// creator creates a Run with each call as any Go program would, without client-side rate limits.
func creator(o options) (func() error, error) {
	config, err := clientcmd.BuildConfigFromFlags("", o.kubeconfig)
	if err != nil {
		return nil, err
	}
	config.QPS = -1
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(o.object)
	if err != nil {
		return nil, err
	}
	var object map[string]any
	if err := json.Unmarshal(text, &object); err != nil {
		return nil, err
	}
	template := &unstructured.Unstructured{Object: object}
	resource := client.Resource(runs).Namespace(template.GetNamespace())
	return func() error {
		run := template.DeepCopy()
		if !o.fixedName {
			run.SetName(fmt.Sprintf("%s-%016x", template.GetName(), rand.Uint64()))
		}
		_, err := resource.Create(context.Background(), run, metav1.CreateOptions{})
		if o.fixedName && apierrors.IsAlreadyExists(err) {
			return nil
		}
		return err
	}, nil
}
