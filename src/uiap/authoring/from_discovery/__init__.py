"""From discovery to manifests: findings become items of a package."""
