//go:build tools

// Package kube pins what the tests against a real API server are run with.
package kube

import _ "github.com/kubernetes-csi/external-snapshotter/client/v8/apis/volumesnapshot/v1" // for its CRDs
