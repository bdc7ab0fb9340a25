// The Bucket operator with controller-runtime.
package main

import (
	"os"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

func main() {
	ctrl.SetLogger(klog.NewKlogr())
	log := ctrl.Log.WithName("setup")
	scheme := runtime.NewScheme()
	utilruntime.Must(clientgoscheme.AddToScheme(scheme))
	utilruntime.Must(schemeBuilder.AddToScheme(scheme))
	mgr, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{
		Scheme:  scheme,
		Metrics: metricsserver.Options{BindAddress: "0"},
	})
	if err != nil {
		log.Error(err, "cannot create the manager")
		os.Exit(1)
	}
	seconds, err := strconv.Atoi(os.Getenv("RESYNC_SECONDS"))
	if err != nil {
		seconds = 600
	}
	ctx := ctrl.SetupSignalHandler()
	reconciler := &BucketReconciler{
		Client:   mgr.GetClient(),
		Store:    &Store{URL: os.Getenv("STORE_URL")},
		Interval: time.Duration(seconds) * time.Second,
	}
	if err := reconciler.SetupWithManager(ctx, mgr); err != nil {
		log.Error(err, "cannot create the controller")
		os.Exit(1)
	}
	if err := mgr.Start(ctx); err != nil {
		log.Error(err, "the manager ended")
		os.Exit(1)
	}
}
