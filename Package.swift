// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

/// One settings list for every target: Swift 6, warnings are errors, imports are explicit and internal by default.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// For what only the executable, its tests and `siding.yaml` need. A package that names this one with `traits: []` does
/// not fetch it.
let commandLine = TargetDependencyCondition.when(traits: ["CommandLine"])
/// For what only the pages and the interface over HTTP need; `CommandLine` brings it along.
let service = TargetDependencyCondition.when(traits: ["Service"])

let argumentParser = Target.Dependency.product(
    name: "ArgumentParser", package: "swift-argument-parser", condition: commandLine)
let asyncHTTPClient = Target.Dependency.product(name: "AsyncHTTPClient", package: "async-http-client")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird", condition: service)
let hummingbirdCore = Target.Dependency.product(name: "HummingbirdCore", package: "hummingbird", condition: service)
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let metrics = Target.Dependency.product(name: "Metrics", package: "swift-metrics")
let mustache = Target.Dependency.product(name: "Mustache", package: "swift-mustache", condition: service)
let nioHTTPTypes = Target.Dependency.product(name: "NIOHTTPTypes", package: "swift-nio-extras", condition: service)
let nioHTTPCompression = Target.Dependency.product(name: "NIOHTTPCompression", package: "swift-nio-extras")
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let serviceLifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let subprocess = Target.Dependency.product(name: "Subprocess", package: "swift-subprocess", condition: commandLine)
let systemPackage = Target.Dependency.product(name: "SystemPackage", package: "swift-system", condition: commandLine)
let tracing = Target.Dependency.product(name: "Tracing", package: "swift-distributed-tracing")
let unixSignals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")
let yams = Target.Dependency.product(name: "Yams", package: "Yams", condition: commandLine)

/// The schema's SQL, embedded in the binary; a test checks that the list equals the folder.
let migrations = ["V001_schema.sql"]

/// What `siding init` writes, embedded likewise; a test checks that the list equals the folder.
let exampleConfigs = [
    "blog", "github", "gitlab", "hackernews", "hubspot", "jira", "local", "odata", "pokeapi", "shopify", "stripe",
    "zendesk",
]

/// The templates, the style and the script of the web pages, embedded likewise.
let webFiles = [
    "app.js", "badge.mustache", "chart.mustache", "confirm.mustache", "entry.mustache", "facts.mustache",
    "layout.mustache", "overview.mustache", "problem.mustache", "quarantine.mustache", "quarantined.mustache",
    "queue.mustache", "record.mustache", "records.mustache", "resource.mustache", "run.mustache", "runs.mustache",
    "runs_table.mustache", "style.css", "time.mustache",
]

/// What `import SidingKit` brings along; each may be imported by itself, too.
let programModules = [
    "Siding", "SidingChain", "SidingCredentials", "SidingHTTP", "SidingJSON", "SidingModels", "SidingNetwork",
    "SidingNodes", "SidingSchedule",
]

func nio(_ names: String...) -> [Target.Dependency] {
    names.map { .product(name: $0, package: "swift-nio") }
}

let package = Package(
    name: "siding",
    // There are no `platforms`: it builds on Linux alone, of which SwiftPM knows no versions.
    products: [
        .executable(name: "siding", targets: ["SidingCLI"]),
        // Docs/Embedding.md lists the modules of each product. Other targets are for this package.
        .library(name: "SidingKit", targets: ["SidingKit"] + programModules),
        .library(name: "SidingHub", targets: ["SidingHub"]),
        .library(name: "SidingManifest", targets: ["SidingManifest"]),
        .library(name: "SidingService", targets: ["SidingService"]),
        .library(name: "SidingTesting", targets: ["SidingTesting", "SidingOrigin"]),
    ],
    traits: [
        .trait(
            name: "Service", description: "SidingService: the state of a store as web pages, and as JSON over HTTP."),
        .trait(
            name: "CommandLine", description: "The executable, and the modules that read siding.yaml.",
            enabledTraits: ["Service"]),
        .default(enabledTraits: ["CommandLine"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.1"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2"),
    ],
    targets: [
        // Rooms: who may import whom is what stands in `dependencies`, and the compiler checks it.
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .target(name: "SidingSQLite", dependencies: ["CSQLite", "SidingSynchronization"], swiftSettings: settings),
        .target(
            name: "SidingMigrations", dependencies: ["SidingSQLite"], path: "Migrations",
            resources: migrations.map { .embedInCode($0) }, swiftSettings: settings),
        .target(name: "SidingSynchronization", swiftSettings: settings),
        .target(
            name: "CNetlink",
            cSettings: [.treatAllWarnings(as: .error), .enableWarning("all"), .enableWarning("extra")]),
        .target(name: "SidingJSON", dependencies: ["SidingSynchronization"], swiftSettings: settings),
        .target(
            name: "SidingChain", dependencies: ["SidingJSON", "SidingSynchronization", logging, httpTypes],
            swiftSettings: settings),
        // What programs compose for themselves. The sync, the queue and the executable do without it.
        .target(
            name: "SidingNodes",
            dependencies: [
                "SidingChain", "SidingHTTP", "SidingJSON", "SidingNetwork", "SidingSynchronization", logging, httpTypes,
            ],
            swiftSettings: settings),
        .target(
            name: "SidingHTTP",
            dependencies: [
                "SidingChain", "SidingSynchronization", asyncHTTPClient, httpTypes, nioSSL, nioHTTPCompression,
            ] + nio("NIOCore", "NIOPosix", "NIOHTTP1"),
            swiftSettings: settings),
        .target(
            name: "SidingNetwork", dependencies: ["CNetlink", "SidingChain", "SidingSynchronization"],
            swiftSettings: settings),
        .target(
            name: "SidingCredentials",
            dependencies: ["SidingChain", "SidingJSON", "SidingSQLite", "SidingSynchronization", httpTypes],
            swiftSettings: settings),
        .target(
            name: "SidingPaging", dependencies: ["SidingChain", "SidingJSON", "SidingSynchronization", httpTypes],
            swiftSettings: settings),
        .target(
            name: "Siding",
            dependencies: [
                "SidingChain", "SidingCredentials", "SidingJSON", "SidingMigrations", "SidingNetwork", "SidingPaging",
                "SidingSQLite", "SidingSynchronization", httpTypes, logging, metrics, serviceLifecycle, tracing,
            ],
            swiftSettings: settings),
        .target(
            name: "SidingSchedule", dependencies: ["Siding", "SidingChain", "SidingJSON", "SidingSynchronization"],
            swiftSettings: settings),
        .target(name: "SidingPostgreSQL", dependencies: ["SidingSynchronization"], swiftSettings: settings),
        // What leaves a station for the database of many.
        .target(
            name: "SidingHub",
            dependencies: [
                "Siding", "SidingChain", "SidingCredentials", "SidingJSON", "SidingPostgreSQL", "SidingSQLite",
                "SidingSynchronization", logging, serviceLifecycle,
            ],
            swiftSettings: settings),
        // What commands, pages and metrics show of a store.
        .target(
            name: "SidingInspection",
            dependencies: [
                "Siding", "SidingChain", "SidingJSON", "SidingNetwork", "SidingSynchronization", httpTypes, metrics,
            ],
            swiftSettings: settings),
        .target(
            name: "SidingNotifications",
            dependencies: [
                "Siding", "SidingChain", "SidingCredentials", "SidingInspection", "SidingJSON", "SidingSynchronization",
                httpTypes, serviceLifecycle, subprocess, systemPackage,
            ],
            swiftSettings: settings),
        .target(
            name: "SidingService",
            dependencies: [
                "Siding", "SidingChain", "SidingInspection", "SidingJSON", "SidingSynchronization", httpTypes,
                hummingbirdCore, logging, mustache, nioHTTPTypes, serviceLifecycle,
            ] + nio("NIOCore", "NIOHTTP1", "NIOPosix"),
            resources: webFiles.map { .embedInCode("Resources/\($0)") }, swiftSettings: settings),
        .target(
            name: "SidingModels",
            dependencies: ["Siding", "SidingChain", "SidingJSON", "SidingSynchronization", httpTypes],
            swiftSettings: settings),
        .target(
            name: "SidingKit",
            dependencies: programModules.map { .target(name: $0) } + [httpTypes], swiftSettings: settings),
        .target(
            name: "ExampleConfigs", path: "Examples/Configs",
            resources: exampleConfigs.map { .embedInCode("\($0).yaml") }, swiftSettings: settings),
        .target(
            name: "SidingManifest",
            dependencies: [
                "ExampleConfigs", "Siding", "SidingChain", "SidingCredentials", "SidingHub", "SidingJSON",
                "SidingPaging",
                "SidingNotifications", "SidingSchedule", "SidingSynchronization", httpTypes, subprocess, systemPackage,
                yams,
            ],
            swiftSettings: settings),
        .target(
            name: "SidingImport", dependencies: ["SidingManifest", "SidingJSON"], swiftSettings: settings),
        .target(
            name: "SidingOrigin",
            dependencies: ["SidingChain", "SidingSynchronization", httpTypes, nioHTTPCompression]
                + nio("NIOCore", "NIOPosix", "NIOHTTP1", "NIOEmbedded"),
            swiftSettings: settings),
        .target(
            name: "SidingTesting",
            dependencies: [
                "Siding", "SidingChain", "SidingJSON", "SidingNodes", "SidingOrigin", "SidingSynchronization",
                httpTypes,
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "SidingCLI",
            dependencies: [
                "Siding", "SidingChain", "SidingCredentials", "SidingHTTP", "SidingHub", "SidingImport", "SidingJSON",
                "SidingInspection", "SidingManifest", "SidingNetwork", "SidingNotifications", "SidingOrigin",
                "SidingPaging", "SidingSQLite", "SidingSchedule", "SidingService", "SidingSynchronization",
                argumentParser, httpTypes, logging, metrics, serviceLifecycle, subprocess, systemPackage, unixSignals,
            ],
            path: "CLI", resources: [.embedInCode("Licenses/ThirdPartyLicenses.txt")], swiftSettings: settings),
        // Examples see what other programs see: the public names alone.
        .executableTarget(
            name: "EmbeddingExample",
            dependencies: ["SidingKit", logging, serviceLifecycle, unixSignals],
            path: "Examples/Embedding", packageAccess: false, swiftSettings: settings),
        .executableTarget(
            name: "GatewayExample", dependencies: ["SidingKit"], path: "Examples/Gateway", packageAccess: false,
            swiftSettings: settings),
        .executableTarget(
            name: "TokenRefreshExample", dependencies: ["SidingKit"], path: "Examples/TokenRefresh",
            packageAccess: false, swiftSettings: settings),
        .executableTarget(
            name: "ServiceExample",
            dependencies: ["SidingKit", "SidingService", hummingbird, logging, serviceLifecycle, unixSignals],
            path: "Examples/Service", packageAccess: false, swiftSettings: settings),
        .target(name: "AllocationCounter", path: "Benchmarks/AllocationCounter"),
        .executableTarget(
            name: "ChainCallBenchmark",
            dependencies: ["SidingChain", "SidingSynchronization", "AllocationCounter", httpTypes, logging],
            path: "Benchmarks/ChainCall", swiftSettings: settings),
        .executableTarget(
            name: "QueueBenchmark",
            dependencies: ["Siding", "SidingChain", "SidingOrigin", "SidingSynchronization", httpTypes],
            path: "Benchmarks/Queue", swiftSettings: settings),
        .executableTarget(
            name: "TypedReadsBenchmark", dependencies: ["SidingKit"], path: "Benchmarks/TypedReads",
            packageAccess: false, swiftSettings: settings),
        // What only the tests of this package use.
        .target(
            name: "TestSupport", dependencies: ["SidingSynchronization", logging], path: "Tests/TestSupport",
            swiftSettings: settings),
        // A real server, for the tests of what speaks to one.
        .target(
            name: "PostgreSQLTestSupport", dependencies: ["SidingPostgreSQL", "SidingSynchronization"],
            path: "Tests/PostgreSQLTestSupport", swiftSettings: settings),
        .testTarget(
            name: "SidingPostgreSQLTests",
            dependencies: ["SidingPostgreSQL", "SidingSynchronization", "PostgreSQLTestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "SidingHubTests",
            dependencies: [
                "SidingHub", "Siding", "SidingChain", "SidingCredentials", "SidingInspection", "SidingJSON",
                "SidingNotifications", "SidingOrigin", "SidingPostgreSQL", "SidingSQLite", "SidingSynchronization",
                "SidingTesting", "PostgreSQLTestSupport", "TestSupport", logging, serviceLifecycle,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "SidingSQLiteTests", dependencies: ["SidingSQLite", "SidingSynchronization", "CSQLite"],
            swiftSettings: settings),
        .testTarget(
            name: "SidingNetworkTests",
            dependencies: ["CNetlink", "SidingChain", "SidingNetwork", "SidingSynchronization", "SidingTesting"],
            swiftSettings: settings),
        .testTarget(
            name: "SidingCredentialsTests",
            dependencies: [
                "SidingChain", "SidingCredentials", "SidingJSON", "SidingNodes", "SidingSQLite",
                "SidingSynchronization", "SidingTesting", httpTypes,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "SidingTests",
            dependencies: [
                "Siding", "SidingChain", "SidingCredentials", "SidingJSON", "SidingMigrations", "SidingNetwork",
                "SidingNodes", "SidingOrigin", "SidingPaging", "SidingSQLite", "SidingSchedule",
                "SidingSynchronization", "SidingTesting", "TestSupport", httpTypes, logging, metrics, tracing,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "SidingModelsTests",
            dependencies: [
                "Siding", "SidingChain", "SidingJSON", "SidingModels", "SidingSQLite", "SidingSynchronization",
                "SidingTesting", httpTypes,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "SidingJSONTests", dependencies: ["SidingJSON"], exclude: ["Resources"], swiftSettings: settings),
        .testTarget(
            name: "SidingChainTests",
            dependencies: [
                "Siding", "SidingChain", "SidingJSON", "SidingNodes", "SidingSynchronization", "SidingTesting",
                "TestSupport",
                httpTypes, logging,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "SidingOriginTests",
            dependencies: ["SidingOrigin", "SidingHTTP", "SidingChain", "SidingSynchronization", httpTypes],
            swiftSettings: settings),
        .testTarget(
            name: "SidingTestingTests",
            dependencies: ["SidingTesting", "SidingChain", "SidingNodes", "SidingSynchronization", httpTypes],
            swiftSettings: settings),
        .testTarget(
            name: "SidingHTTPTests",
            dependencies: [
                "SidingHTTP", "SidingChain", "SidingNodes", "SidingOrigin", "SidingSynchronization", "SidingTesting",
                "TestSupport",
                asyncHTTPClient, httpTypes, nioSSL, nioHTTPCompression,
            ] + nio("NIOCore", "NIOPosix", "NIOHTTP1"),
            swiftSettings: settings),
        .testTarget(
            name: "SidingManifestTests",
            dependencies: [
                "SidingManifest", "Siding", "SidingChain", "SidingCredentials", "SidingHub", "SidingJSON",
                "SidingNotifications", "SidingOrigin", "SidingPaging", "SidingTesting", "TestSupport", httpTypes,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "SidingImportTests",
            dependencies: [
                "SidingImport", "SidingManifest", "Siding", "SidingChain", "SidingCredentials", "SidingJSON",
                "SidingPaging", "SidingTesting", "TestSupport", httpTypes,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "SidingCLITests",
            dependencies: [
                "SidingCLI", "Siding", "SidingChain", "SidingHTTP", "SidingInspection", "SidingOrigin",
                "SidingPostgreSQL", "SidingSQLite", "SidingSynchronization", "SidingTesting", "PostgreSQLTestSupport",
                "TestSupport", argumentParser, httpTypes, subprocess,
                systemPackage,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "SidingScheduleTests", dependencies: ["SidingSchedule", "Siding", "SidingChain"],
            swiftSettings: settings),
        .testTarget(
            name: "SidingInspectionTests",
            dependencies: [
                "SidingInspection", "Siding", "SidingChain", "SidingJSON", "SidingTesting", httpTypes, metrics,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "SidingNotificationsTests",
            dependencies: [
                "SidingNotifications", "Siding", "SidingChain", "SidingCredentials", "SidingInspection",
                "SidingSynchronization", "SidingTesting", "TestSupport", httpTypes, logging, serviceLifecycle,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "SidingServiceTests",
            dependencies: [
                "SidingService", "Siding", "SidingChain", "SidingHTTP", "SidingInspection", "SidingJSON",
                "SidingOrigin", "SidingSQLite", "SidingSynchronization", "SidingTesting", "TestSupport", httpTypes,
                logging,
                serviceLifecycle,
            ] + nio("NIOCore", "NIOEmbedded"),
            swiftSettings: settings),
        .testTarget(
            name: "ExampleConfigsTests",
            dependencies: [
                "Siding", "SidingChain", "SidingManifest", "SidingSQLite", "SidingSynchronization", "SidingTesting",
                httpTypes,
            ],
            exclude: ["Tapes"], swiftSettings: settings),
        .testTarget(
            name: "ExamplesTests",
            dependencies: [
                "GatewayExample", "TokenRefreshExample", "EmbeddingExample", "ServiceExample", "SidingKit",
                "Siding", "SidingChain", "SidingCredentials", "SidingHTTP", "SidingHub", "SidingManifest",
                "SidingModels",
                "SidingNetwork", "SidingNodes", "SidingOrigin", "SidingSchedule", "SidingSynchronization",
                "SidingTesting",
                "TestSupport", httpTypes,
                logging, serviceLifecycle, subprocess, systemPackage,
            ],
            swiftSettings: settings),
    ]
)
