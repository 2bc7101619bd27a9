#!/bin/bash
# Boxes that systemd makes, in the virtual machine of `make check-vm`. TAP. Where this user has a manager, a skip
# would hide a failure.
[[ $(id -u) != 0 && ! -S /run/user/$(id -u)/systemd/private ]] || export REQUIRED=1
BACKENDS=systemd exec bash "$(dirname "$0")/../run/box_backend.sh" "$@"
