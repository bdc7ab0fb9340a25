package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// Settings is the part of a bucket that its owner decides.
type Settings struct {
	Name   string `json:"name"`
	Region string `json:"region"`
	User   string `json:"user"`
}

// Stored is a bucket at the store.
type Stored struct {
	ID string `json:"id"`
	Settings
}

// StoreError is a failed call. Refused settings fail again, and a bucket with objects is not deleted.
type StoreError struct {
	Reason  string
	Message string
}

func (e *StoreError) Error() string { return e.Message }

const (
	bucketRefused  = "BucketRefused"
	bucketNotEmpty = "BucketNotEmpty"
	storeFailed    = "StoreFailed"
)

// Store is the client of the store.
type Store struct {
	URL string
}

// Find returns the bucket of an owner, or nil.
func (s *Store) Find(ctx context.Context, owner string) (*Stored, error) {
	var found []Stored
	if err := s.call(ctx, http.MethodGet, "/buckets?owner="+owner, nil, &found); err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
}

// Create creates a bucket. A second call creates a second one.
func (s *Store) Create(ctx context.Context, owner string, settings Settings) (*Stored, error) {
	body := struct {
		Owner string `json:"owner"`
		Settings
	}{owner, settings}
	stored := &Stored{}
	return stored, s.call(ctx, http.MethodPost, "/buckets", body, stored)
}

// Update changes the settings of a bucket.
func (s *Store) Update(ctx context.Context, id string, settings Settings) error {
	return s.call(ctx, http.MethodPut, "/buckets/"+id, settings, nil)
}

// Delete deletes a bucket.
func (s *Store) Delete(ctx context.Context, id string) error {
	return s.call(ctx, http.MethodDelete, "/buckets/"+id, nil, nil)
}

func (s *Store) call(ctx context.Context, method, path string, body, answer any) error {
	data, err := json.Marshal(body)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, method, s.URL+path, bytes.NewReader(data))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return &StoreError{storeFailed, err.Error()}
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return &StoreError{storeFailed, err.Error()}
	}
	if response.StatusCode >= 300 {
		reason := storeFailed
		switch response.StatusCode {
		case http.StatusBadRequest:
			reason = bucketRefused
		case http.StatusConflict:
			reason = bucketNotEmpty
		}
		return &StoreError{reason, fmt.Sprintf("%s: %s", response.Status, text)}
	}
	if answer == nil {
		return nil
	}
	return json.Unmarshal(text, answer)
}
