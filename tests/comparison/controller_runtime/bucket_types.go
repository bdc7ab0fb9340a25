package main

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/scheme"
)

var (
	groupVersion  = schema.GroupVersion{Group: "storage.example.com", Version: "v1"}
	schemeBuilder = &scheme.Builder{GroupVersion: groupVersion}
)

func init() {
	schemeBuilder.Register(&Bucket{}, &BucketList{})
}

// BucketSpec is the desired state of a bucket.
type BucketSpec struct {
	Name   string `json:"name"`
	Region string `json:"region"`
	Secret string `json:"secret"`
}

// BucketStatus is the observed state of a bucket.
type BucketStatus struct {
	ObservedGeneration int64              `json:"observedGeneration,omitempty"`
	Conditions         []metav1.Condition `json:"conditions,omitempty"`
}

// Bucket is a bucket of the object store.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
type Bucket struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   BucketSpec   `json:"spec,omitempty"`
	Status BucketStatus `json:"status,omitempty"`
}

// BucketList is a list of buckets.
// +kubebuilder:object:root=true
type BucketList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Bucket `json:"items"`
}
