// Prints how Kubernetes' own types are written as protobuf, as far as the simulator serves them:
//
//	go run ./protobuf > ../../../vastplan/sim/tables/kubernetes/1.34-protobuf.json
//
// With a word, `go run ./protobuf encode < objects.json`, it reads a list of objects and writes a list of bodies as Go programs
// send them, in base64: what tests/sim/protobuf.yaml holds.
//
// `roots` are the messages by `apiVersion/kind`. Of a message, each field by its number: `[name in JSON, type, flags]`. A
// type is a Go scalar, `bytes`, or a message's name. Flags: `l` a list, `m` a map from strings, `i` a struct whose fields
// stand in the outer object in JSON, `o` a value that JSON leaves out when it is zero (which protobuf cannot tell from unset).
package main

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

var roots = map[string]any{
	"v1/ConfigMap":             corev1.ConfigMap{},
	"v1/DeleteOptions":         metav1.DeleteOptions{},
	"v1/Event":                 corev1.Event{},
	"v1/Namespace":             corev1.Namespace{},
	"v1/PersistentVolume":      corev1.PersistentVolume{},
	"v1/PersistentVolumeClaim": corev1.PersistentVolumeClaim{},
	"v1/Pod":                   corev1.Pod{},
	"v1/ResourceQuota":         corev1.ResourceQuota{},
	"v1/Secret":                corev1.Secret{},
	"admissionregistration.k8s.io/v1/ValidatingAdmissionPolicy":        admissionv1.ValidatingAdmissionPolicy{},
	"admissionregistration.k8s.io/v1/ValidatingAdmissionPolicyBinding": admissionv1.ValidatingAdmissionPolicyBinding{},
	"authorization.k8s.io/v1/SelfSubjectAccessReview":                  authorizationv1.SelfSubjectAccessReview{},
	"coordination.k8s.io/v1/Lease":                                     coordinationv1.Lease{},
	"storage.k8s.io/v1/CSIDriver":                                      storagev1.CSIDriver{},
	"storage.k8s.io/v1/StorageClass":                                   storagev1.StorageClass{},
}

type table struct {
	Roots    map[string]string               `json:"roots"`
	Messages map[string]map[string][3]string `json:"messages"`
	Source   map[string]string               `json:"source"`
}

// message notes a struct and all that it holds, and answers its name.
func (t *table) message(of reflect.Type) string {
	name := strings.ReplaceAll(strings.TrimPrefix(strings.TrimPrefix(of.PkgPath(), "k8s.io/api"), "/")+"/"+of.Name(), "/", ".")
	name = strings.TrimPrefix(name, "machinery.pkg.apis.")
	if _, known := t.Messages[name]; known {
		return name
	}
	fields := map[string][3]string{}
	t.Messages[name] = fields
	for index := 0; index < of.NumField(); index++ {
		field := of.Field(index)
		parts := strings.Split(field.Tag.Get("protobuf"), ",")
		if len(parts) < 2 {
			continue // TypeMeta, which the envelope holds
		}
		said := strings.Split(field.Tag.Get("json"), ",")
		flags, kind := "", field.Type
		if strings.Contains(field.Tag.Get("json"), ",inline") {
			flags += "i"
		}
		if strings.Contains(field.Tag.Get("json"), ",omitempty") && kind.Kind() != reflect.Pointer {
			flags += "o"
		}
		if kind.Kind() == reflect.Pointer {
			kind = kind.Elem()
		}
		switch {
		case kind.Kind() == reflect.Map:
			flags, kind = flags+"m", kind.Elem()
		case kind.Kind() == reflect.Slice && kind.Elem().Kind() != reflect.Uint8:
			flags, kind = flags+"l", kind.Elem()
		}
		fields[parts[1]] = [3]string{said[0], t.typeOf(kind), flags}
	}
	return name
}

func (t *table) typeOf(kind reflect.Type) string {
	switch kind.Kind() {
	case reflect.Struct:
		switch kind.Name() {
		case "Time", "MicroTime", "Quantity", "IntOrString", "FieldsV1", "RawExtension":
			return kind.Name() // written in a form of their own
		}
		return t.message(kind)
	case reflect.Slice:
		if kind.Elem().Kind() == reflect.Uint8 {
			return "bytes"
		}
		panic("a list of lists: " + kind.String())
	}
	return kind.Kind().String()
}

// encode answers the envelope and the object in it.
func encode(raw json.RawMessage) []byte {
	var said metav1.TypeMeta
	check(json.Unmarshal(raw, &said))
	object := reflect.New(reflect.TypeOf(roots[said.APIVersion+"/"+said.Kind])).Interface()
	check(json.Unmarshal(raw, object))
	inner, err := object.(interface{ Marshal() ([]byte, error) }).Marshal()
	check(err)
	unknown := runtime.Unknown{TypeMeta: runtime.TypeMeta{APIVersion: said.APIVersion, Kind: said.Kind}, Raw: inner}
	outer, err := unknown.Marshal()
	check(err)
	return append([]byte("k8s\x00"), outer...)
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	if len(os.Args) > 1 {
		var objects []json.RawMessage
		check(json.NewDecoder(os.Stdin).Decode(&objects))
		bodies := [][]byte{}
		for _, object := range objects {
			bodies = append(bodies, encode(object))
		}
		check(json.NewEncoder(os.Stdout).Encode(bodies))
		return
	}
	whole := table{map[string]string{}, map[string]map[string][3]string{}, map[string]string{"module": "k8s.io/api", "version": "v0.34.4"}}
	for path, root := range roots {
		whole.Roots[path] = whole.message(reflect.TypeOf(root))
	}
	text, err := json.Marshal(whole)
	check(err)
	os.Stdout.Write(append(text, '\n'))
}
