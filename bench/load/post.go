package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"sync/atomic"
)

type target struct {
	URL string `json:"url"`
	Key string `json:"key"`
}

// poster posts one body with each call, to the targets in turn, over warm connections.
func poster(o options) (func() error, error) {
	body, err := os.ReadFile(o.body)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(o.targets)
	if err != nil {
		return nil, err
	}
	var targets []target
	if err := json.Unmarshal(text, &targets); err != nil {
		return nil, err
	}
	return postTo(targets, body, o), nil
}

// ceiling posts to a server that does nothing, in this process: what the sender itself could do at most.
func ceiling(o options) (func() error, error) {
	body, err := os.ReadFile(o.body)
	if err != nil {
		return nil, err
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, `{"ok":true,"triggered":1,"skipped":0,"steered":0}`)
	}))
	return postTo([]target{{URL: server.URL, Key: "key"}}, body, o), nil
}

func postTo(targets []target, body []byte, o options) func() error {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: o.inFlight, DisableCompression: true}}
	var next atomic.Uint64
	want := []byte(o.wantText)
	return func() error {
		to := targets[next.Add(1)%uint64(len(targets))]
		request, err := http.NewRequest(http.MethodPost, to.URL, bytes.NewReader(body))
		if err != nil {
			return err
		}
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Authorization", "Bearer "+to.Key)
		answer, err := client.Do(request)
		if err != nil {
			return fmt.Errorf("no answer")
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			return fmt.Errorf("no whole answer")
		}
		if answer.StatusCode != o.wantStatus || !bytes.Contains(text, want) {
			return fmt.Errorf("answered %d %s", answer.StatusCode, text)
		}
		return nil
	}
}
