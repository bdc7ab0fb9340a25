package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

const (
	finalizer   = "storage.example.com/bucket"
	secretField = "spec.secret"
	retry       = 5 * time.Second
)

// missingSecret is an error that ends when the Secret changes.
type missingSecret struct{ name string }

func (e missingSecret) Error() string {
	return fmt.Sprintf("the Secret %s is missing, or has no key user", e.name)
}

// BucketReconciler reconciles Buckets.
type BucketReconciler struct {
	client.Client
	Store    *Store
	Interval time.Duration
}

// Reconcile makes the store and the ConfigMap as a Bucket describes them.
func (r *BucketReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	bucket := &Bucket{}
	if err := r.Get(ctx, req.NamespacedName, bucket); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !bucket.DeletionTimestamp.IsZero() {
		return r.reconcileDelete(ctx, bucket)
	}
	if controllerutil.AddFinalizer(bucket, finalizer) {
		if err := r.Update(ctx, bucket); err != nil {
			return ctrl.Result{}, err
		}
	}
	before := bucket.DeepCopy()
	err := r.reconcileParts(ctx, bucket)
	setCondition(bucket, "Ready", "the bucket can be used", err)
	bucket.Status.ObservedGeneration = bucket.Generation
	if err := r.writeStatus(ctx, bucket, before); err != nil {
		return ctrl.Result{}, err
	}
	return r.result(err)
}

// result returns when the next pass is due. A missing Secret and a refused bucket wait for a change.
func (r *BucketReconciler) result(err error) (ctrl.Result, error) {
	var missing missingSecret
	if errors.As(err, &missing) {
		return ctrl.Result{}, nil
	}
	if reasonOf(err) == bucketRefused {
		return ctrl.Result{}, reconcile.TerminalError(err)
	}
	if err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{RequeueAfter: r.Interval}, nil
}

func (r *BucketReconciler) reconcileParts(ctx context.Context, bucket *Bucket) error {
	user, err := r.findUser(ctx, bucket)
	setCondition(bucket, "SecretFound", "the Secret has a user", err)
	if err != nil {
		return err
	}
	id, err := r.keepBucket(ctx, bucket, user)
	setCondition(bucket, "Stored", "the store has the bucket", err)
	if err != nil {
		return err
	}
	err = r.publish(ctx, bucket, id, user)
	setCondition(bucket, "Published", "the ConfigMap has the id and the user", err)
	return err
}

func (r *BucketReconciler) findUser(ctx context.Context, bucket *Bucket) (string, error) {
	secret := &corev1.Secret{}
	key := types.NamespacedName{Namespace: bucket.Namespace, Name: bucket.Spec.Secret}
	if err := r.Get(ctx, key, secret); client.IgnoreNotFound(err) != nil {
		return "", err
	}
	if user := string(secret.Data["user"]); user != "" {
		return user, nil
	}
	return "", missingSecret{bucket.Spec.Secret}
}

func (r *BucketReconciler) keepBucket(ctx context.Context, bucket *Bucket, user string) (string, error) {
	settings := Settings{Name: bucket.Spec.Name, Region: bucket.Spec.Region, User: user}
	stored, err := r.Store.Find(ctx, string(bucket.UID))
	if err != nil {
		return "", err
	}
	if stored == nil {
		stored, err = r.Store.Create(ctx, string(bucket.UID), settings)
	} else if stored.Settings != settings {
		err = r.Store.Update(ctx, stored.ID, settings)
	}
	return stored.ID, err
}

func (r *BucketReconciler) publish(ctx context.Context, bucket *Bucket, id, user string) error {
	configMap := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: bucket.Name, Namespace: bucket.Namespace}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, configMap, func() error {
		configMap.Data = map[string]string{"id": id, "user": user}
		return controllerutil.SetControllerReference(bucket, configMap, r.Scheme())
	})
	return err
}

func (r *BucketReconciler) reconcileDelete(ctx context.Context, bucket *Bucket) (ctrl.Result, error) {
	if !controllerutil.ContainsFinalizer(bucket, finalizer) {
		return ctrl.Result{}, nil
	}
	if err := r.removeBucket(ctx, bucket); err != nil {
		before := bucket.DeepCopy()
		setCondition(bucket, "Stored", "", err)
		setCondition(bucket, "Ready", "", err)
		if err := r.writeStatus(ctx, bucket, before); err != nil {
			return ctrl.Result{}, err
		}
		if reasonOf(err) == bucketNotEmpty {
			return ctrl.Result{RequeueAfter: retry}, nil
		}
		return ctrl.Result{}, err
	}
	controllerutil.RemoveFinalizer(bucket, finalizer)
	return ctrl.Result{}, client.IgnoreNotFound(r.Update(ctx, bucket))
}

func (r *BucketReconciler) removeBucket(ctx context.Context, bucket *Bucket) error {
	stored, err := r.Store.Find(ctx, string(bucket.UID))
	if err != nil || stored == nil {
		return err
	}
	return r.Store.Delete(ctx, stored.ID)
}

func (r *BucketReconciler) writeStatus(ctx context.Context, bucket, before *Bucket) error {
	if equality.Semantic.DeepEqual(before.Status, bucket.Status) {
		return nil
	}
	return r.Status().Update(ctx, bucket)
}

func setCondition(bucket *Bucket, conditionType, message string, err error) {
	condition := metav1.Condition{
		Type:               conditionType,
		Status:             metav1.ConditionTrue,
		Reason:             "Succeeded",
		Message:            message,
		ObservedGeneration: bucket.Generation,
	}
	if err != nil {
		condition.Status, condition.Reason, condition.Message = metav1.ConditionFalse, reasonOf(err), err.Error()
	}
	meta.SetStatusCondition(&bucket.Status.Conditions, condition)
}

func reasonOf(err error) string {
	var store *StoreError
	var missing missingSecret
	switch {
	case errors.As(err, &store):
		return store.Reason
	case errors.As(err, &missing):
		return "SecretMissing"
	case apierrors.IsConflict(err):
		return "Conflict"
	default:
		return "CallFailed"
	}
}

// bucketsOf returns the buckets that name a Secret.
func (r *BucketReconciler) bucketsOf(ctx context.Context, secret client.Object) []reconcile.Request {
	buckets := &BucketList{}
	selected := client.MatchingFields{secretField: secret.GetName()}
	if err := r.List(ctx, buckets, selected, client.InNamespace(secret.GetNamespace())); err != nil {
		return nil
	}
	requests := make([]reconcile.Request, 0, len(buckets.Items))
	for _, bucket := range buckets.Items {
		requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&bucket)})
	}
	return requests
}

// SetupWithManager registers the controller and its watches.
func (r *BucketReconciler) SetupWithManager(ctx context.Context, mgr ctrl.Manager) error {
	secretOf := func(object client.Object) []string {
		return []string{object.(*Bucket).Spec.Secret}
	}
	if err := mgr.GetFieldIndexer().IndexField(ctx, &Bucket{}, secretField, secretOf); err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(mgr).
		For(&Bucket{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Owns(&corev1.ConfigMap{}).
		Watches(&corev1.Secret{}, handler.EnqueueRequestsFromMapFunc(r.bucketsOf)).
		Complete(r)
}
