// Command health says how GitOps tools see objects: kstatus as Flux and kpt use it, the Lua health checks as Argo CD
// runs them, the CEL health expressions as Flux evaluates them. It reads one JSON question from standard input and
// writes one JSON answer for each object to standard output.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"github.com/fluxcd/pkg/apis/kustomize"
	"github.com/fluxcd/pkg/runtime/cel"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

type question struct {
	Objects []unstructured.Unstructured `json:"objects"`
	// Lua scripts by kind.
	Lua map[string]string `json:"lua"`
	// Of a Flux Kustomization: spec.healthCheckExprs.
	HealthCheckExprs []kustomize.CustomHealthCheck `json:"healthCheckExprs"`
}

type verdict struct {
	Status  string `json:"status"`
	Message string `json:"message"`
}

type answer struct {
	Kstatus verdict  `json:"kstatus"`
	ArgoCD  *verdict `json:"argoCD,omitempty"`
	Flux    *verdict `json:"flux,omitempty"`
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	var asked question
	if err := json.NewDecoder(os.Stdin).Decode(&asked); err != nil {
		return fmt.Errorf("the question cannot be read: %w", err)
	}
	flux, err := fluxEvaluators(asked.HealthCheckExprs)
	if err != nil {
		return err
	}
	answers := make([]answer, 0, len(asked.Objects))
	for i := range asked.Objects {
		given, err := judge(&asked.Objects[i], asked.Lua, flux)
		if err != nil {
			return fmt.Errorf("%s %s: %w", asked.Objects[i].GetKind(), asked.Objects[i].GetName(), err)
		}
		answers = append(answers, given)
	}
	return json.NewEncoder(os.Stdout).Encode(answers)
}

func judge(object *unstructured.Unstructured, lua map[string]string, flux map[string]*cel.StatusEvaluator) (answer, error) {
	computed, err := status.Compute(object)
	if err != nil {
		return answer{}, fmt.Errorf("kstatus: %w", err)
	}
	given := answer{Kstatus: verdict{computed.Status.String(), computed.Message}}
	if script, ok := lua[object.GetKind()]; ok {
		if given.ArgoCD, err = argoHealth(object, script); err != nil {
			return answer{}, fmt.Errorf("Lua: %w", err)
		}
	}
	if evaluator, ok := flux[object.GetKind()]; ok {
		evaluated, err := evaluator.Evaluate(context.Background(), object)
		if err != nil {
			return answer{}, fmt.Errorf("CEL: %w", err)
		}
		given.Flux = &verdict{evaluated.Status.String(), evaluated.Message}
	}
	return given, nil
}

func fluxEvaluators(checks []kustomize.CustomHealthCheck) (map[string]*cel.StatusEvaluator, error) {
	evaluators := map[string]*cel.StatusEvaluator{}
	for _, check := range checks {
		evaluator, err := cel.NewStatusEvaluator(&check.HealthCheckExpressions)
		if err != nil {
			return nil, fmt.Errorf("health expressions of %s: %w", check.Kind, err)
		}
		evaluators[check.Kind] = evaluator
	}
	return evaluators, nil
}
