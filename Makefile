# Siding: `make` alone says what there is.

PREFIX ?= /usr/local
SWIFT  ?= swift
SOURCES = Package.swift Sources Tests CLI Migrations Benchmarks Examples
# The executable for use: it needs no Swift libraries, loads nothing from its own folder, and binds its symbols at the start.
RELEASE = build --configuration release --static-swift-stdlib --disable-local-rpath -Xlinker -z -Xlinker now
# What a build needs beside a Swift 6.2 toolchain, and why.
PACKAGES = libsqlite3-dev:the-database zlib1g-dev:compressed-answers ca-certificates:the-certificates-that-TLS-trusts \
	binutils:readelf-to-check-how-the-executable-is-linked jq:the-manual-pages-and-the-bill-of-materials
# What the tests need beside it.
TEST_PACKAGES = iproute2:network-namespaces-in-tests tinyproxy-bin:a-proxy-that-is-not-ours \
	openssl:a-TLS-server-that-asks-clients-for-certificates postgresql:a-hub-for-the-tests-of-publish
# The executable that `make install` installs.
BUILT = .build/release/siding
# The commit with which `make interface` compares.
TAG ?= $(shell git describe --tags --abbrev=0 2>/dev/null)
# What `make install` puts below PREFIX.
INSTALLED = bin/siding share/bash-completion/completions/siding share/zsh/site-functions/_siding \
	share/fish/vendor_completions.d/siding.fish share/siding/siding.schema.json share/man/man1/siding.1 share/man/man1/siding-*.1 \
	$(addprefix lib/systemd/system/,$(notdir $(UNITS))) $(addprefix share/doc/siding/,$(DOCUMENTS))
UNITS = $(wildcard Examples/Systemd/*)
# The documents, and what they link to.
DOCUMENTS = SECURITY.md $(wildcard Docs/*.md Docs/Decisions/*.md Examples/Configs/*.yaml Examples/Kubernetes/*.yaml $(foreach program,Gateway Service TokenRefresh,Examples/$(program)/*.swift))

.DEFAULT_GOAL := help
.PHONY: help setup test-setup demo build test lint format bench bench-chain bench-hub bench-peers bench-queue bench-serve bench-shards proof proof-embedder proof-pages proof-peers proof-package documentation interface reference model tsan install \
	uninstall sbom deb clean

help: ## this list
	@echo 'Siding: make TARGET'
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## install the Debian packages that are missing; says which and why
	@.ci/setup $(PACKAGES)

test-setup:
	@.ci/setup $(TEST_PACKAGES)

demo: setup ## build without optimization, as the tests do, and show the whole tour on loopback
	@echo 'demo: builds siding: about five minutes on two cores the first time; "make test" uses the same build'
	$(SWIFT) build --product siding --explicit-target-dependency-import-check error
	@.build/debug/siding demo

build: setup ## the release executable, .build/release/siding
	@echo 'build: compiles the release executable: about thirteen minutes on two cores the first time'
	$(SWIFT) $(RELEASE) --product siding
	@.ci/linking .build/release/siding

test: setup test-setup ## all tests, with the slow proofs in short: six to seven minutes on two cores after the build
	@echo 'test: builds the tests: about seven minutes on two cores after "make demo"; then runs them: six to seven'
	@Tests/run

lint: ## style: swift format, strictly, and the licence of each source
	@.ci/licence-headers
	$(SWIFT) format lint --strict --recursive --parallel $(wildcard $(SOURCES))

format: ## mend the style in place, and add missing licences
	@.ci/licence-headers --add
	$(SWIFT) format --in-place --recursive --parallel $(wildcard $(SOURCES))

bench: build ## figures, as ratios to the C limit in the same run (installs curl, nginx and xxhash headers)
	@Benchmarks/run

bench-chain: setup ## what a chain of eight nodes costs over a direct call, and typed reads over JSONDecoder; fails over 5 µs, 20 allocations, or below 0.9
	$(SWIFT) build --configuration release --product ChainCallBenchmark
	$(SWIFT) build --configuration release --product TypedReadsBenchmark
	@.build/release/ChainCallBenchmark
	@.build/release/TypedReadsBenchmark

bench-hub: build ## what 'siding publish' costs beside \copy and dlt from PyPI (installs it), each figure beside its bar; fails where one is missed
	@Benchmarks/run-hub

bench-peers: build ## copies over a line that fails, beside dlt, requests and curl from PyPI (installs them): about four minutes
	@Benchmarks/run-peers

bench-queue: build ## the times that the queue promises, each beside its bar; as root, fails where one is missed
	$(SWIFT) $(RELEASE) --product QueueBenchmark
	@Benchmarks/run-queue

bench-serve: build ## what 'siding serve' costs while idle, and the time of its pages, each beside its bar; fails where one is missed
	@Benchmarks/run-serve

bench-shards: build ## how much faster four stations fetch than one, beside its bar; fails where it is missed
	@Benchmarks/run-shards

proof: setup test-setup model ## the slow proofs: a kill at every page, more seeds and kills, the model of the queue
	@SIDING_PROOF=1 SIDING_TEST_PROCESSES=1 Tests/run

proof-peers: build ## copies of servers that are not ours, from PyPI: Datasette, Kinto, Django REST framework, GraphQL (installs them)
	@Tests/Peers/run

proof-embedder: setup ## a package that embeds Siding beside Hummingbird, without what only the command line needs
	@Tests/Embedder/run

proof-pages: build ## every page of 'siding serve' in Chromium, with hostile records, axe-core from PyPI and screenshots in .build/browser
	@Tests/Browser/run

proof-package: deb ## as root: lintian, and the package's whole life in a bare Debian 12
	@Tests/Packaging/run

documentation: setup ## the DocC pages of the modules of SidingKit, .build/documentation; fails on a warning
	@SWIFT='$(SWIFT)' .ci/documentation .build/documentation

interface: setup ## changes of the public interface since the last tag (TAG=COMMIT: since that one) that break programs
	@[ -n "$(TAG)" ] || { printf 'interface: %s\n' 'no tag to compare with: nothing is released yet, or this clone lacks the tags (git fetch --tags)' \
		'to compare with a commit: make interface TAG=COMMIT, such as TAG=HEAD~20' >&2; exit 64; }
	$(SWIFT) package diagnose-api-breaking-changes '$(TAG)'

reference: setup test-setup ## Docs/Reference.md, from the grammar that reads a config
	@SIDING_REFERENCE=write $(SWIFT) test --filter ConfigReferenceTests

model: ## the model of the queue's lease protocol, by spin, with controls that must fail
	@.ci/setup spin:the-model-checker gcc:what-it-generates
	@Tests/Models/check

tsan: setup test-setup ## all tests under ThreadSanitizer; ends with an error where it reports a race
	@TSAN_OPTIONS="suppressions=$(CURDIR)/Tests/thread-sanitizer.supp" Tests/run --sanitize=thread \
		--scratch-path .build-tsan -Xswiftc -DSIDING_THREAD_SANITIZER

# It builds nothing, because root often has no Swift toolchain, and should not own what is in .build.
install: ## after 'make build', install to PREFIX (/usr/local): siding, manual pages, documents, shell completions, systemd units
	@test -x $(BUILT) || { echo "install: there is no $(BUILT): run 'make build' first, as yourself" >&2; exit 1; }
	install -d $(addprefix $(DESTDIR)$(PREFIX)/,$(sort $(dir $(INSTALLED))))
	install -s -m 755 $(BUILT) $(DESTDIR)$(PREFIX)/bin/siding
	$(BUILT) --generate-completion-script bash > $(DESTDIR)$(PREFIX)/share/bash-completion/completions/siding
	$(BUILT) --generate-completion-script zsh > $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_siding
	$(BUILT) --generate-completion-script fish > $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/siding.fish
	$(BUILT) check --schema > $(DESTDIR)$(PREFIX)/share/siding/siding.schema.json
	.ci/manual $(BUILT) $(DESTDIR)$(PREFIX)/share/man/man1 $(PREFIX)/share/doc/siding
	@for file in $(DOCUMENTS); do \
		install -m 644 $$file $(DESTDIR)$(PREFIX)/share/doc/siding/$$file || exit; \
	done
	@for unit in $(UNITS); do \
		sed 's#/usr/local/bin/#$(PREFIX)/bin/#' $$unit > $(DESTDIR)$(PREFIX)/lib/systemd/system/$${unit##*/} || exit; \
	done

uninstall: ## remove what install put there
	rm -f $(addprefix $(DESTDIR)$(PREFIX)/,$(INSTALLED))
	@[ ! -d $(DESTDIR)$(PREFIX)/share/siding ] || rmdir --ignore-fail-on-non-empty $(DESTDIR)$(PREFIX)/share/siding
	@[ ! -d $(DESTDIR)$(PREFIX)/share/doc/siding ] || find $(DESTDIR)$(PREFIX)/share/doc/siding -depth -type d -empty -delete

sbom: build ## the packages in the executable, with versions and licences: .build/siding.cdx.json (CycloneDX)
	@.ci/sbom .build/release > .build/siding.cdx.json

deb: sbom ## a Debian package, .build/siding_VERSION_ARCHITECTURE.deb
	@.ci/setup dpkg-dev:the-dependencies-of-the-package
	@rm -rf .build/deb
	@$(MAKE) --no-print-directory install DESTDIR=$(CURDIR)/.build/deb/root PREFIX=/usr
	@install -D -m 644 .build/siding.cdx.json .build/deb/root/usr/share/doc/siding/siding.cdx.json
	@.debian/package .build/deb

clean: ## remove what was built
	rm -rf .build .build-* bench-data
