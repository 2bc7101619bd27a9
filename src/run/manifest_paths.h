/* Paths beside a project that its own manifests name: workspaces, path dependencies, included builds. */
#pragma once
#include "model/policy.h"

/*
 * Returns the absolute paths outside of the workspace that manifests in `dir` and its parents name, up to the
 * top of the workspace. They are only texts of the project: none is looked up.
 */
struct texts *manifest_paths(struct arena *a, struct str workspace, struct str dir);
/* The same for one file of the workspace, such as a script: its paths are relative to `dir`. */
struct texts *manifest_paths_of(struct arena *a, struct str workspace, struct str file, struct str dir);
/* True for the name of a file that describes the directory around it: package.json, Cargo.toml, ... */
bool manifest_name(struct str base);
