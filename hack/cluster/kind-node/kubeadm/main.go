// Program kubeadm is Kubernetes' own; only its main package is ours, so that go.mod and go.sum pin what it is built from.
package main

import (
	"os"

	"k8s.io/kubernetes/cmd/kubeadm/app"
)

func main() {
	if app.Run() != nil {
		os.Exit(1)
	}
}
