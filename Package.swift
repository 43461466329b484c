// swift-tools-version: 6.2
import PackageDescription

/// The compiler settings of all targets of this package. The loop at the end applies them.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// Additional settings of the parsers, which store spans of their input.
let spans: [SwiftSetting] = [.enableExperimentalFeature("Lifetimes")]

/// The optimizer, also in a debug build, for the authorization and its tests. The tests of every sequence of six events then
/// take 20 s of a processor instead of 258 s. (`swift test --filter AuthorizationTests`)
let optimized: [SwiftSetting] = [.unsafeFlags(["-O"], .when(configuration: .debug))]

/// The targets whose folders are in a folder of `Sources` or `Tests`, as Sources/Documentation/architecture.md describes them.
func room(_ folder: String, _ targets: Target...) -> [Target] {
  for target in targets { target.path = "\(folder)/\(target.path ?? target.name)" }
  return targets
}

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioEmbedded = Target.Dependency.product(name: "NIOEmbedded", package: "swift-nio")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioTLS = Target.Dependency.product(name: "NIOTLS", package: "swift-nio")

let sources = [
  room(
    "Sources/Core",
    .target(name: "Clocks"),
    .target(name: "GNSS", dependencies: ["Clocks"]),
    .target(name: "Languages", resources: [.embedInCode("texts.tsv")]),
    .target(name: "Encoding", dependencies: ["Clocks"]),
    .target(name: "Cryptography", dependencies: ["COpenSSL"]),
    // The target cannot have the name System, because SwiftNIO tests `canImport(System)`.
    .target(name: "OperatingSystem", dependencies: ["Clocks"]),
    .target(name: "Gzip", dependencies: ["CZlib"])),

  room(
    "Sources/Receiver",
    .target(name: "Framing", swiftSettings: spans),
    .target(name: "NMEA", dependencies: ["Clocks", "Framing", "GNSS"], swiftSettings: spans),
    .target(name: "UBX", dependencies: ["Clocks", "Framing", "GNSS"], swiftSettings: spans),
    .target(name: "ReceiverStream", dependencies: ["Clocks", "Encoding", "GNSS", "NMEA", "UBX"]),
    .target(name: "Estimation", dependencies: ["Clocks", "GNSS", "NMEA", "ReceiverStream", "UBX"]),
    .target(
      name: "GPSDClient",
      dependencies: ["Clocks", "Encoding", "GNSS", "Hardware", "OperatingSystem", nioCore, nioPosix])),

  room(
    "Sources/Consent",
    .target(name: "Authorization", dependencies: ["Clocks", "LineProtocol"], swiftSettings: optimized),
    .target(name: "Cloaking", dependencies: ["Clocks", "Cryptography", "Encoding", "GNSS"]),
    .target(name: "Regions", dependencies: ["Clocks", "Encoding", "GNSS", "LineProtocol"]),
    .target(name: "Handshake", dependencies: ["Cryptography", "Encoding"]),
    .target(
      name: "StateStore",
      dependencies: [
        "Authorization", "CSQLite", "Clocks", "Cryptography", "Encoding", "LineProtocol", "OperatingSystem",
      ]),
    // The gate: no other target can read the position of a sealed fix and send it.
    .target(
      name: "Disclosure",
      dependencies: [
        "Authorization", "Cloaking", "Clocks", "Encoding", "Estimation", "GNSS", "Hardware", "LineProtocol", "Ports",
        "ReceiverStream", "Regions", "StateStore",
      ])),

  room(
    "Sources/Hardware",
    .target(name: "Hardware", dependencies: ["Clocks", "Encoding", "GNSS", "Languages"]),
    .target(
      name: "LinuxHardware",
      dependencies: [
        "CGpiod", "CLinux", "Clocks", "Encoding", "Framing", "Hardware", "OperatingSystem", "SerialPorts", logging,
        nioCore, nioPosix,
      ]),
    .target(name: "SerialPorts", dependencies: ["CLinux", "Hardware", "OperatingSystem", nioCore, nioPosix]),
    .target(
      name: "SimulatedHardware",
      dependencies: ["Clocks", "Encoding", "Framing", "GNSS", "Gzip", "Hardware", "OperatingSystem"])),

  room(
    "Sources/Interfaces",
    .target(name: "LineProtocol", dependencies: ["Clocks", "Encoding", "GNSS", "Languages"], swiftSettings: spans),
    .target(name: "LineFraming", dependencies: ["LineProtocol", nioCore]),
    .target(
      name: "Ports",
      dependencies: ["Authorization", "Clocks", "Cryptography", "Encoding", "LineFraming", "LineProtocol", nioCore]),
    .target(
      name: "Connections",
      dependencies: [
        "Authorization", "CLinux", "Clocks", "LineFraming", "LineProtocol", "OperatingSystem", "Ports", logging,
        nioCore,
        nioPosix, nioSSL,
      ]),
    .target(
      name: "LineServer",
      dependencies: [
        "Authorization", "Clocks", "Connections", "Cryptography", "Encoding", "Handshake", "Hardware", "LineFraming",
        "LineProtocol",
        "OperatingSystem", "Ports", logging, nioCore, nioPosix, nioSSL, nioTLS,
      ]),
    .target(name: "GPSDProtocol", dependencies: ["Clocks", "Encoding", "GNSS", "LineProtocol"]),
    .target(
      name: "MQTTBridge",
      dependencies: [
        "Authorization", "CMosquitto", "Clocks", "Cryptography", "Encoding", "GNSS", "LineProtocol", "OperatingSystem",
        "Ports", logging,
      ]),
    .target(
      name: "OneFixClient",
      dependencies: [
        "Clocks", "Cryptography", "Encoding", "GNSS", "Handshake", "LineFraming", "LineProtocol", "OperatingSystem",
        "SerialPorts", nioCore, nioPosix, nioSSL,
      ])),

  room(
    "Sources/Owner",
    .target(name: "OwnerVerbs", dependencies: ["Clocks", "Encoding", "Languages", "LineProtocol"]),
    .target(name: "Console", dependencies: ["Clocks", "Languages", "LineProtocol", "OwnerVerbs"]),
    .target(
      name: "ConsoleService",
      dependencies: [
        "Clocks", "Console", "Hardware", "Languages", "LineProtocol", "OneFixClient", "OperatingSystem", "OwnerVerbs",
      ]),
    .target(
      name: "OwnerPage",
      dependencies: [
        "Clocks", "Connections", "ConsoleService", "Cryptography", "Encoding", "Languages", "LineProtocol",
        "OneFixClient",
        "OperatingSystem", "OwnerVerbs", "Ports", logging, nioCore, nioHTTP1, nioPosix,
      ],
      resources: ["html", "css", "js"].map { .embedInCode("Resources/page.\($0)") })),

  room(
    "Sources/Operations",
    .target(
      name: "Configuration",
      dependencies: [
        "Authorization", "CTOML", "Encoding", "GNSS", "Hardware", "Languages", "LineProtocol", "OperatingSystem",
        "Telemetry", "UBX", logging,
      ]),
    .target(
      name: "MachineChecks",
      dependencies: [
        "Authorization", "Clocks", "Configuration", "Encoding", "Hardware", "Languages", "LinuxHardware",
        "OperatingSystem",
        "Telemetry",
      ]),
    .target(name: "Telemetry", dependencies: ["Clocks", "OperatingSystem", logging])),

  room(
    "Sources/Programs",
    .target(
      name: "Gateway",
      dependencies: [
        "Authorization", "Clocks", "Disclosure", "Encoding", "Hardware", "Languages", "LineProtocol",
        "OperatingSystem", "Ports", "ReceiverStream", "StateStore", "Telemetry", logging, nioCore,
      ]),
    .target(
      name: "Features",
      dependencies: [
        "Authorization", "Clocks", "Configuration", "Connections", "Console", "ConsoleService", "Cryptography",
        "Encoding",
        "GPSDProtocol", "Gateway", "Hardware", "Languages", "LineProtocol", "LineServer", "LinuxHardware",
        "MQTTBridge", "MachineChecks", "OneFixClient", "OperatingSystem", "OwnerPage", "Ports", "ReceiverStream",
        "SerialPorts", "Telemetry", logging, nioCore, nioPosix,
      ]),
    .executableTarget(
      name: "onefixd",
      dependencies: [
        "Authorization", "CLinux", "Cloaking", "Clocks", "Configuration", "Connections", "Cryptography", "Disclosure",
        "Features", "GNSS", "GPSDClient", "Gateway", "Hardware", "Languages", "LineProtocol", "LineServer",
        "LinuxHardware", "MachineChecks", "OneFixClient", "OperatingSystem", "Ports", "ReceiverStream",
        "SimulatedHardware", "StateStore", "Telemetry", "UBX", logging, nioCore, nioPosix,
      ]),
    .executableTarget(
      name: "onefix",
      dependencies: [
        "Cloaking", "Clocks", "Console", "ConsoleService", "Encoding", "Estimation", "GNSS", "Gzip", "Hardware",
        "Languages", "LineProtocol", "NMEA", "OneFixClient", "OperatingSystem", "OwnerVerbs", "ReceiverStream", "UBX",
        argumentParser, nioPosix,
      ]),
    .executableTarget(name: "park-finder", dependencies: ["GNSS", "OneFixClient", argumentParser])),

  room(
    "Sources/C",
    // libi2c (apt: libi2c-dev) has no .pc file.
    .target(name: "CLinux", linkerSettings: [.linkedLibrary("i2c")]),
    .target(name: "CGpiod", linkerSettings: [.linkedLibrary("gpiod")]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .target(
      name: "CMosquitto",
      linkerSettings: [.linkedLibrary("mosquitto"), .linkedLibrary("ssl"), .linkedLibrary("crypto")]),
    .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .target(name: "CTOML"),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])])),
]

let tests = [
  room(
    "Tests/Support",
    // The conditions of tests that need programs or permissions.
    .target(name: "Requirements"),
    // Random numbers that are the same in every run.
    .target(name: "SeededNumbers"),
    .target(name: "Sentences"),
    .target(name: "TemporaryFiles"),
    .target(name: "Repository"),
    .target(name: "CTestShims"),
    .target(name: "PseudoTerminals", dependencies: ["CTestShims"]),
    .target(name: "SimulatedUBlox", dependencies: ["Framing", "PseudoTerminals", "UBX"]),
    // Clients, brokers, a log and a power switch that record the actions of the gateway.
    .target(
      name: "RecordingClients",
      dependencies: [
        "Authorization", "Clocks", "Cryptography", "Encoding", "Hardware", "LineProtocol", "Ports", "StateStore",
        "TemporaryFiles", logging, nioCore, nioEmbedded,
      ]),
    // The clock and the receiver of a gateway that a test controls.
    .target(
      name: "ControlledBoard",
      dependencies: [
        "Clocks", "Hardware", "OperatingSystem", "Sentences", "SimulatedHardware", nioCore, nioEmbedded,
      ]),
    // A sequence of changes to a store. Tests interrupt it at every step.
    .target(name: "CRecordingVFS", dependencies: ["CSQLite"]),
    .target(
      name: "StoreScenario",
      dependencies: ["Authorization", "CRecordingVFS", "Clocks", "LineProtocol", "OperatingSystem", "StateStore"]),
    .executableTarget(name: "store-scenario", dependencies: ["StoreScenario"], path: "StoreScenarioCommand"),
    // The rules of the fuzzers for parsers outside the products: Scripts/fuzz. The folder Parsers links to files of
    // adapters, because the adapters themselves would bring all of SwiftNIO.
    .target(
      name: "FuzzRules",
      dependencies: [
        "Authorization", "Clocks", "Configuration", "Console", "Encoding", "Estimation", "Framing", "GNSS",
        "GPSDProtocol", "Gzip", "Hardware", "LineProtocol",
      ])),

  room(
    "Tests/Core",
    .testTarget(name: "ClocksTests", dependencies: ["Clocks"]),
    .testTarget(name: "LanguagesTests", dependencies: ["Languages", "LineProtocol", "OwnerVerbs", "SeededNumbers"]),
    .testTarget(name: "CryptographyTests", dependencies: ["Cryptography", "Encoding"]),
    .testTarget(name: "EncodingTests", dependencies: ["Clocks", "Encoding", "SeededNumbers"]),
    .testTarget(name: "GzipTests", dependencies: ["CZlib", "Gzip"])),

  room(
    "Tests/Receiver",
    .testTarget(name: "FramingTests", dependencies: ["Framing"]),
    .testTarget(name: "NMEATests", dependencies: ["Clocks", "Framing", "GNSS", "NMEA", "Repository", "Sentences"]),
    .testTarget(name: "UBXTests", dependencies: ["Clocks", "GNSS", "SimulatedUBlox", "UBX"]),
    .testTarget(
      name: "ReceiverStreamTests",
      dependencies: [
        "Clocks", "GNSS", "NMEA", "ReceiverStream", "SeededNumbers", "Sentences", "SimulatedUBlox", "UBX",
      ]),
    .testTarget(
      name: "EstimationTests",
      dependencies: [
        "Clocks", "Estimation", "GNSS", "ReceiverStream", "Repository", "SeededNumbers", "Sentences", "UBX",
      ]),
    .testTarget(
      name: "GPSDClientTests",
      dependencies: [
        "Clocks", "GNSS", "GPSDClient", "Hardware", "PseudoTerminals", "Requirements", "Sentences", nioCore, nioPosix,
      ])),

  room(
    "Tests/Consent",
    .testTarget(
      name: "AuthorizationTests", dependencies: ["Authorization", "Clocks", "LineProtocol", "SeededNumbers"],
      swiftSettings: optimized),
    .testTarget(name: "CloakingTests", dependencies: ["Cloaking", "Clocks", "GNSS", "SeededNumbers"]),
    .testTarget(name: "RegionsTests", dependencies: ["Clocks", "GNSS", "LineProtocol", "Regions", "SeededNumbers"]),
    .testTarget(name: "HandshakeTests", dependencies: ["Cryptography", "Handshake"]),
    .testTarget(
      name: "DisclosureTests",
      dependencies: [
        "Authorization", "Cloaking", "Clocks", "Disclosure", "Estimation", "GNSS", "LineProtocol", "Ports",
        "RecordingClients", "SeededNumbers", "StateStore",
      ]),
    .testTarget(
      name: "StateStoreTests",
      dependencies: [
        "Authorization", "Clocks", "Cryptography", "LineProtocol", "SeededNumbers", "StateStore", "TemporaryFiles",
      ],
      exclude: ["Fixtures"]),
    .testTarget(
      name: "StoreDurabilityTests",
      dependencies: [
        "Authorization", "CTestShims", "Clocks", "LineProtocol", "OperatingSystem", "Requirements", "SeededNumbers",
        "StateStore", "StoreScenario", "store-scenario",
      ])),

  room(
    "Tests/Hardware",
    .testTarget(name: "HardwareTests", dependencies: ["Clocks", "Hardware", "Languages", "SeededNumbers"]),
    .testTarget(
      name: "LinuxHardwareTests",
      dependencies: [
        "CTestShims", "Clocks", "Framing", "GNSS", "Hardware", "LinuxHardware", "OperatingSystem", "PseudoTerminals",
        "Sentences", "SerialPorts", "SimulatedUBlox", "TemporaryFiles", "UBX", logging, nioCore, nioEmbedded, nioPosix,
      ]),
    .testTarget(
      name: "SimulatedHardwareTests",
      dependencies: ["CZlib", "Clocks", "GNSS", "Hardware", "OperatingSystem", "SimulatedHardware", "UBX"])),

  room(
    "Tests/Interfaces",
    .testTarget(
      name: "LineProtocolTests", dependencies: ["Clocks", "GNSS", "LineProtocol", "Repository", "SeededNumbers"]),
    .testTarget(
      name: "LineFramingTests",
      dependencies: [
        "LineFraming", "LineProtocol", "SeededNumbers", nioCore, nioEmbedded,
        .product(name: "NIOTestUtils", package: "swift-nio"),
      ]),
    .testTarget(name: "PortsTests", dependencies: ["Authorization", "Clocks", "Ports", nioCore]),
    .testTarget(
      name: "ConnectionsTests",
      dependencies: [
        "Authorization", "CLinux", "Clocks", "Connections", "GNSS", "LineProtocol", "Ports", "RecordingClients",
        "SeededNumbers",
        nioCore, nioEmbedded, nioPosix,
      ]),
    .testTarget(
      name: "LineServerTests",
      dependencies: ["Authorization", "Clocks", "Handshake", "LineProtocol", "LineServer", "Ports", nioCore]),
    .testTarget(
      name: "GPSDProtocolTests",
      dependencies: ["Clocks", "Estimation", "GNSS", "GPSDProtocol", "LineProtocol", "NMEA", "SeededNumbers"]),
    .testTarget(
      name: "MQTTBridgeTests",
      dependencies: [
        "Clocks", "Encoding", "GNSS", "LineProtocol", "MQTTBridge", "Ports", "RecordingClients", logging,
        nioCore, nioPosix,
      ]),
    .testTarget(
      name: "OneFixClientTests",
      dependencies: [
        "Cryptography",
        "GNSS", "Handshake", "LineProtocol", "OneFixClient", "Repository", nioCore, nioPosix, nioSSL,
      ])),

  room(
    "Tests/Owner",
    .testTarget(name: "OwnerVerbsTests", dependencies: ["Clocks", "Languages", "LineProtocol", "OwnerVerbs"]),
    .testTarget(
      name: "ConsoleTests",
      dependencies: ["Clocks", "Console", "Languages", "LineProtocol", "OwnerVerbs", "SeededNumbers"],
      exclude: ["Top/Frames"]),
    .testTarget(
      name: "ConsoleServiceTests",
      dependencies: ["Console", "ConsoleService", "Hardware", "LineProtocol", "OneFixClient"]),
    .testTarget(
      name: "OwnerPageTests",
      dependencies: ["Clocks", "Hardware", "Languages", "LineProtocol", "OwnerPage", nioCore, nioEmbedded, nioHTTP1])),

  room(
    "Tests/Operations",
    .testTarget(
      name: "ConfigurationTests",
      dependencies: [
        "Authorization", "Configuration", "GNSS", "GPSDProtocol", "Hardware", "Languages", "LineProtocol",
        "Repository", "SeededNumbers", "Telemetry", "TemporaryFiles", "UBX", logging,
      ]),
    .testTarget(
      name: "MachineChecksTests",
      dependencies: [
        "Clocks", "Configuration", "Hardware", "MachineChecks", "Repository", "Telemetry",
        "TemporaryFiles",
      ]),
    .testTarget(name: "TelemetryTests", dependencies: ["Telemetry", logging])),

  room(
    "Tests/Programs",
    .testTarget(
      name: "GatewayTests",
      dependencies: [
        "Authorization", "Cloaking", "Clocks", "Connections", "ControlledBoard", "Disclosure", "GNSS", "Gateway",
        "Hardware", "LineFraming", "LineProtocol", "LineServer", "OneFixClient", "OperatingSystem", "Ports",
        "ReceiverStream", "RecordingClients", "Repository", "Sentences", "SimulatedHardware", "SimulatedUBlox",
        "StateStore", "StoreScenario", "Telemetry", "UBX", logging, nioCore, nioEmbedded, nioPosix,
      ]),
    .testTarget(
      name: "GatewayPartTests",
      dependencies: [
        "Authorization", "Clocks", "ControlledBoard", "Disclosure", "Estimation", "GNSS", "Gateway", "Hardware",
        "Languages", "LineProtocol", "Ports", "ReceiverStream", "RecordingClients", "SeededNumbers",
        "SimulatedHardware", "StateStore", "Telemetry", "TemporaryFiles", "UBX",
      ]),
    .testTarget(
      name: "FeatureTests",
      dependencies: [
        "Authorization", "Clocks", "Configuration", "Connections", "ControlledBoard", "Features", "GPSDProtocol",
        "Gateway", "Hardware", "LineProtocol", "MachineChecks", "OperatingSystem", "Ports", "ReceiverStream",
        "RecordingClients", "Repository", "Telemetry", logging, nioCore, nioEmbedded, nioPosix,
      ]),
    .testTarget(
      name: "OneFixDaemonTests",
      dependencies: [
        "Authorization", "Clocks", "Configuration", "Features", "Gateway", "Hardware", "OperatingSystem", "Ports",
        "ReceiverStream", "Repository", "onefixd",
      ]),
    .testTarget(
      name: "OneFixCommandTests",
      dependencies: [
        "CZlib", "Clocks", "GNSS", "Gzip", "Hardware", "LineProtocol", "NMEA", "OwnerVerbs", "PseudoTerminals",
        "Sentences", "UBX", "onefix", argumentParser,
      ])),

  room(
    "Tests",
    .testTarget(
      name: "EndToEndTests",
      dependencies: [
        "Authorization", "CTestShims", "Clocks", "Cryptography", "LineProtocol", "MQTTBridge", "OneFixClient", "Ports",
        "PseudoTerminals", "RecordingClients", "Repository", "Requirements", "SeededNumbers", "Sentences",
        "SimulatedUBlox", "UBX",
        "onefix", "onefixd", "park-finder", logging, nioCore, nioPosix,
      ],
      path: "EndToEnd", exclude: ["Page/browser.py"])),

  room(
    "Tests/Benchmarks",
    // The latency of an edge of a button: Scripts/bench latency.
    .executableTarget(
      name: "edge-latency",
      dependencies: ["Clocks", "Hardware", "LinuxHardware", "OperatingSystem", logging, nioCore, nioPosix],
      path: "EdgeLatency"),
    // The load of many subscribers: Scripts/bench fanout, crowd and idle.
    .executableTarget(name: "fan-out", path: "FanOut", exclude: ["fan_out.py"]),
    // Measures the errors of position estimates that adversaries make from approximate fixes: Scripts/bench privacy.
    .executableTarget(name: "privacy-bench", dependencies: ["Cloaking", "Clocks", "GNSS"], path: "PrivacyBench"),
    // The errors of the filter for simulated and recorded tracks: Scripts/bench positioning.
    .executableTarget(
      name: "positioning-bench", dependencies: ["Clocks", "Estimation", "GNSS", "NMEA", "ReceiverStream"],
      path: "PositioningBench"),
    // The growth of the gateway's cost with its state: Scripts/bench growth.
    .executableTarget(
      name: "growth-bench",
      dependencies: [
        "Authorization", "CSQLite", "Cloaking", "Clocks", "ControlledBoard", "Disclosure", "Gateway", "Hardware",
        "LineProtocol", "OperatingSystem", "Ports", "RecordingClients", "SimulatedHardware", "StateStore",
        "TemporaryFiles", logging,
      ],
      path: "GrowthBench")),
]

let package = Package(
  name: "onefix",
  products: [
    .library(name: "OneFixClient", targets: ["OneFixClient"]),
    // The fuzzers and benchmarks are separate packages, which can import only products.
    .library(name: "Clocks", targets: ["Clocks"]),
    .library(name: "GNSS", targets: ["GNSS"]),
    .library(name: "Framing", targets: ["Framing"]),
    .library(name: "NMEA", targets: ["NMEA"]),
    .library(name: "UBX", targets: ["UBX"]),
    .library(name: "ReceiverStream", targets: ["ReceiverStream"]),
    .library(name: "LineProtocol", targets: ["LineProtocol"]),
    .library(name: "GPSDProtocol", targets: ["GPSDProtocol"]),
    .library(name: "FuzzRules", targets: ["FuzzRules"]),
    .executable(name: "onefixd", targets: ["onefixd"]),
    .executable(name: "onefix", targets: ["onefix"]),
    .executable(name: "park-finder", targets: ["park-finder"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-log.git", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-nio.git", from: "2.86.0"),
    .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.36.0"),
  ],
  targets: Array((sources + tests).joined()),
  cxxLanguageStandard: .cxx17
)

for target in package.targets where ![.system, .plugin, .binary].contains(target.type) {
  target.swiftSettings = strict + (target.swiftSettings ?? [])
}
