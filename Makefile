# SPDX-License-Identifier: GPL-2.0-only
# The few commands of this project; each target's line says what it does.

.DEFAULT_GOAL := help
.PHONY: help build demo shell check check-unit check-guest check-system check-long clean

# The first five tell themselves apart by what they need: the host only, or a booted machine.
help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' $(MAKEFILE_LIST) | expand -t 18

build: ## fetch and build all parts of the machine into the cache (first time about 12 minutes)
	machine/build

demo: build ## stock perf inside a Xen domain, counting exactly
	machine/demo

shell: build ## a dom0 prompt on the machine
	machine/run --system xen --shell

check: build ## all tests but the long ones
	tests/run unit abi guest system

check-unit: ## tests on the host: core, ABI, arrows between the rooms (no machine needed)
	tests/run unit abi

check-guest: build ## micro-guests booted in dom0's place
	tests/run guest

check-system: build ## Linux on the machine, native and under Xen
	tests/run system

check-long: build ## as check with ten times as many repetitions, and kernels of other releases
	PERFCTR_LONG=1 tests/run unit abi guest system kernels

clean: ## remove what was built in the tree (the cache stays)
	rm -rf build
