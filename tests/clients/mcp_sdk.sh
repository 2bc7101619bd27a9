#!/bin/bash
# caisson mcp and the client of the official SDK. TAP.
# needs: sdk
. "$(dirname "$0")/lib.sh"
[[ -d $CACHE/sdk/node_modules/@modelcontextprotocol/sdk ]] ||
	skip_all 'sdk is not installed: tests/clients/install sdk'
[[ -n $NODE ]] || skip_all 'there is no node'
mkdir "$tmp/work"
timeout -k 5 180 "$NODE" "$here/mcp_sdk.mjs" "$CACHE/sdk" "$CAISSON" "$tmp/work"
