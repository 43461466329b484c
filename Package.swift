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

/// The optimizer, also in a debug build, for the targets whose tests compute most. Assertions stay.
let optimizer: [SwiftSetting] = [.unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug))]
let optimized: Set = [
  "Authorization", "AuthorizationModelTests", "Base", "Cloaking", "Decoding", "Estimation",
  "GNSS", "Sentences", "StoreDurabilityTests",
]

/// `.ci/run` compiles each target as a whole and once, and the tests without debug information, which costs a fifth less for
/// a fresh clone. Elsewhere, a changed file is compiled alone.
let compilesWholeModules = Context.environment["ONEFIX_WHOLE_MODULES"] != nil
let wholeModule: [SwiftSetting] = [
  .unsafeFlags(
    ["-whole-module-optimization", "-num-threads", "2", "-no-emit-module-separately-wmo"],
    .when(configuration: .debug))
]
let noDebugInformation: [SwiftSetting] = [.unsafeFlags(["-Xfrontend", "-gnone"], .when(configuration: .debug))]

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
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioTLS = Target.Dependency.product(name: "NIOTLS", package: "swift-nio")

let sources = [
  room(
    "Sources/Core",
    .target(name: "Base", dependencies: ["COpenSSL", "CResources"], exclude: ["Languages/texts.tsv"]),
    .target(name: "GNSS", dependencies: ["Base"]),
    // The target cannot have the name System, because SwiftNIO tests `canImport(System)`.
    .target(name: "OperatingSystem", dependencies: ["Base", logging])),

  room(
    "Sources/Receiver",
    .target(name: "Decoding", dependencies: ["Base", "GNSS"], swiftSettings: spans),
    .target(name: "Estimation", dependencies: ["Base", "Decoding", "GNSS"])),

  room(
    "Sources/Consent",
    .target(name: "Authorization", dependencies: ["Base", "LineProtocol"]),
    .target(name: "Cloaking", dependencies: ["Base", "GNSS", "LineProtocol"]),
    .target(
      name: "StateStore",
      dependencies: ["Authorization", "Base", "CSQLite", "LineProtocol", "OperatingSystem"]),
    // The gate: no other target can read the position of a sealed fix and send it.
    .target(
      name: "Disclosure",
      dependencies: [
        "Authorization", "Base", "Cloaking", "Decoding", "Estimation", "GNSS", "Hardware", "LineProtocol", "Ports",
        "StateStore",
      ])),

  room(
    "Sources/Hardware",
    .target(name: "Hardware", dependencies: ["Base", "GNSS"]),
    .target(
      name: "LinuxHardware",
      dependencies: [
        "Base", "CGpiod", "CLinux", "Decoding", "GNSS", "Hardware", "OperatingSystem", "Ports", logging, nioCore,
        nioPosix,
      ]),
    .target(
      name: "SimulatedHardware",
      dependencies: ["Base", "Decoding", "GNSS", "Hardware", "OperatingSystem"])),

  room(
    "Sources/Interfaces",
    .target(name: "LineProtocol", dependencies: ["Base", "GNSS"], swiftSettings: spans),
    .target(
      name: "Ports",
      dependencies: ["Base", "CLinux", "Hardware", "LineProtocol", "OperatingSystem", nioCore, nioPosix]),
    .target(name: "TLS", dependencies: ["COpenSSL", nioCore, nioTLS]),
    .target(
      name: "Serving",
      dependencies: [
        "Base", "CLinux", "Hardware", "LineProtocol", "OperatingSystem", "Ports", "TLS", logging, nioCore, nioPosix,
        nioTLS,
      ]),
    .target(
      name: "OneFixClient",
      dependencies: ["Base", "GNSS", "LineProtocol", "OperatingSystem", "Ports", "TLS", nioCore, nioPosix])),

  room(
    "Sources/Owner",
    .target(name: "OwnerScreens", dependencies: ["Base", "LineProtocol"]),
    .target(
      name: "OwnerClients",
      dependencies: [
        "Base", "Hardware", "LineProtocol", "OneFixClient", "OperatingSystem", "OwnerScreens",
      ]),
    // Not a part of OwnerClients, because the daemon contains OwnerClients, but no fonts and no drawing.
    .target(
      name: "Display",
      dependencies: [
        "Base", "Hardware", "LineProtocol", "OneFixClient", "OperatingSystem", "OwnerClients", "OwnerScreens", nioPosix,
      ])),

  room(
    "Sources/Operations",
    .target(
      name: "Configuration",
      dependencies: [
        "Base", "CTOML", "Decoding", "GNSS", "Hardware", "LineProtocol", "OperatingSystem", logging,
      ])),

  room(
    "Sources/Programs",
    .target(
      name: "Gateway",
      dependencies: [
        "Authorization", "Base", "Decoding", "Disclosure", "Hardware", "LineProtocol", "OperatingSystem", "Ports",
        "StateStore", logging, nioCore,
      ]),
    .target(
      name: "Features",
      dependencies: [
        "Base", "CMosquitto", "CResources", "Configuration", "Decoding", "Gateway", "Hardware", "LineProtocol",
        "LinuxHardware", "OneFixClient", "OperatingSystem", "OwnerClients", "OwnerScreens", "Ports", "Serving", "TLS",
        logging, nioCore, nioHTTP1, nioPosix, nioTLS,
      ],
      exclude: ["Page/Resources", "Checks/repair.sh"]),
    .executableTarget(
      name: "onefixd",
      dependencies: [
        "Authorization", "Base", "CLinux", "Cloaking", "Configuration", "Decoding", "Disclosure", "Features",
        "Gateway", "Hardware", "LineProtocol", "LinuxHardware", "OneFixClient", "OperatingSystem", "OwnerScreens",
        "Ports", "Serving", "SimulatedHardware", "StateStore", logging, nioCore, nioPosix,
      ]),
    .executableTarget(
      name: "onefix",
      dependencies: [
        "Base", "Cloaking", "Decoding", "Display", "Estimation", "GNSS", "Hardware", "LineProtocol", "LinuxHardware",
        "OneFixClient", "OperatingSystem", "OwnerClients", "OwnerScreens", argumentParser, nioPosix,
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
    .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
    // The texts of Base and the page of Features, whose paths begin at Sources.
    .target(name: "CResources", cSettings: [.headerSearchPath("../..")]),
    .target(name: "CTOML")),
]

let tests = [
  room(
    "Tests/Support",
    // The conditions of tests that need programs or permissions, and the limit of their waits.
    .target(name: "Requirements"),
    // Random numbers that are the same in every run.
    .target(name: "AppStandings", dependencies: ["Authorization", "Base", "LineProtocol"]),
    .target(name: "SeededNumbers"),
    .target(name: "Sentences"),
    .target(name: "TemporaryFiles"),
    .target(name: "Repository"),
    .target(name: "CTestShims"),
    // A display module that interprets the bytes of its controller.
    .target(name: "EmulatedDisplay", dependencies: ["Display", "Hardware", "LineProtocol"]),
    .target(name: "PseudoTerminals", dependencies: ["CTestShims"]),
    // A gateway that plays the script of a test.
    .target(name: "ScriptedGateways", dependencies: ["OneFixClient", nioCore, nioPosix]),
    .target(name: "SimulatedUBlox", dependencies: ["Decoding", "PseudoTerminals"]),
    // Clients, brokers, a log and a power switch that record the actions of the gateway.
    .target(
      name: "RecordingClients",
      dependencies: [
        "Authorization", "Base", "Hardware", "LineProtocol", "Ports", "StateStore", "TemporaryFiles", logging, nioCore,
        nioEmbedded,
      ]),
    // The clock and the receiver of a gateway that a test controls.
    .target(
      name: "ControlledBoard",
      dependencies: ["Base", "Hardware", "OperatingSystem", "Sentences", "SimulatedHardware", nioCore, nioEmbedded]),
    // A sequence of changes to a store. Tests interrupt it at every step.
    .target(name: "CRecordingVFS", dependencies: ["CSQLite"]),
    .target(
      name: "StoreScenario",
      dependencies: ["Authorization", "Base", "CRecordingVFS", "LineProtocol", "OperatingSystem", "StateStore"]),
    .executableTarget(name: "store-scenario", dependencies: ["StoreScenario"], path: "StoreScenarioCommand"),
    // The rules of the fuzzers for parsers outside the products: Scripts/fuzz. The folder Parsers links to files of
    // adapters, because the adapters themselves would bring all of SwiftNIO.
    .target(
      name: "FuzzRules",
      dependencies: [
        "Base", "Configuration", "Decoding", "Estimation", "GNSS", "Hardware", "LineProtocol", "OwnerScreens",
      ])),

  room(
    "Tests/Core",
    .testTarget(name: "BaseTests", dependencies: ["Base", "LineProtocol", "OwnerScreens", "SeededNumbers"]),
    .testTarget(
      name: "OperatingSystemTests",
      dependencies: ["Base", "OperatingSystem", "Requirements", "TemporaryFiles", logging])),

  room(
    "Tests/Receiver",
    .testTarget(name: "NMEATests", dependencies: ["Base", "Decoding", "GNSS", "Repository", "Sentences"]),
    .testTarget(name: "UBXTests", dependencies: ["Base", "Decoding", "GNSS", "SimulatedUBlox"]),
    .testTarget(
      name: "ReceiverStreamTests",
      dependencies: ["Base", "Decoding", "Estimation", "GNSS", "SeededNumbers", "Sentences", "SimulatedUBlox"]),
    .testTarget(
      name: "EstimationTests",
      dependencies: ["Base", "Decoding", "Estimation", "GNSS", "Repository", "SeededNumbers", "Sentences"])
  ),

  room(
    "Tests/Consent",
    .testTarget(
      name: "AuthorizationTests",
      dependencies: ["AppStandings", "Authorization", "Base", "LineProtocol", "SeededNumbers"]),
    // The model of the contract is a target of its own, because the compiler optimizes only the model.
    .testTarget(
      name: "AuthorizationModelTests",
      dependencies: ["AppStandings", "Authorization", "Base", "LineProtocol", "SeededNumbers"]),
    .testTarget(name: "CloakingTests", dependencies: ["Base", "Cloaking", "GNSS", "LineProtocol", "SeededNumbers"]),
    .testTarget(
      name: "DisclosureTests",
      dependencies: [
        "Authorization", "Base", "Cloaking", "Decoding", "Disclosure", "Estimation", "GNSS", "Hardware", "LineProtocol",
        "Ports", "RecordingClients", "SeededNumbers", "Sentences", "StateStore", nioCore,
      ]),
    .testTarget(
      name: "StateStoreTests",
      dependencies: [
        "Authorization", "Base", "LineProtocol", "OperatingSystem", "SeededNumbers", "StateStore", "TemporaryFiles",
      ],
      exclude: ["Fixtures"]),
    .testTarget(
      name: "StoreDurabilityTests",
      dependencies: [
        "Authorization", "Base", "CTestShims", "LineProtocol", "OperatingSystem", "Requirements", "SeededNumbers",
        "StateStore", "StoreScenario", "store-scenario",
      ])),

  room(
    "Tests/Hardware",
    .testTarget(name: "HardwareTests", dependencies: ["Base", "Hardware", "SeededNumbers"]),
    .testTarget(
      name: "LinuxHardwareTests",
      dependencies: [
        "Base", "Decoding", "GNSS", "Hardware", "LinuxHardware", "OperatingSystem", "PseudoTerminals",
        "Requirements", "Sentences", "SimulatedUBlox", "TemporaryFiles", logging, nioCore, nioEmbedded, nioPosix,
      ]),
    .testTarget(
      name: "SimulatedHardwareTests",
      dependencies: ["Base", "Decoding", "GNSS", "Hardware", "OperatingSystem", "Requirements", "SimulatedHardware"])),

  room(
    "Tests/Interfaces",
    .testTarget(
      name: "LineProtocolTests",
      dependencies: ["Base", "Decoding", "Estimation", "GNSS", "LineProtocol", "Repository", "SeededNumbers"]),
    .testTarget(
      name: "PortsTests",
      dependencies: [
        "Base", "Hardware", "LineProtocol", "Ports", "PseudoTerminals", "Requirements", "SeededNumbers",
        "TemporaryFiles", nioCore, nioEmbedded, nioPosix, .product(name: "NIOTestUtils", package: "swift-nio"),
      ]),
    .testTarget(
      name: "ServingTests",
      dependencies: [
        "Base", "CLinux", "GNSS", "Hardware", "LineProtocol", "OperatingSystem", "Ports", "RecordingClients",
        "SeededNumbers", "Serving", "TemporaryFiles", logging, nioCore, nioEmbedded, nioPosix,
      ]),
    .testTarget(
      name: "TLSTests",
      dependencies: ["COpenSSL", "SeededNumbers", "TLS", nioCore, nioEmbedded, nioTLS]),
    .testTarget(
      name: "OneFixClientTests",
      dependencies: [
        "Base", "GNSS", "LineProtocol", "OneFixClient", "OperatingSystem", "PseudoTerminals",
        "Requirements", "ScriptedGateways", nioCore,
      ]),
    // The library's driver for the conformance test.
    .executableTarget(
      name: "conformance-driver", dependencies: ["Base", "GNSS", "LineProtocol", "OneFixClient"],
      path: "Conformance/SwiftDriver")),

  room(
    "Tests/Owner",
    .testTarget(
      name: "OwnerScreensTests",
      dependencies: ["Base", "LineProtocol", "OwnerScreens", "SeededNumbers", "TemporaryFiles"],
      exclude: ["Console/Top/Frames"]),
    .testTarget(
      name: "OwnerClientsTests",
      dependencies: [
        "Base", "Hardware", "LineProtocol", "OneFixClient", "OwnerClients", "OwnerScreens", "Requirements",
        "ScriptedGateways", "TemporaryFiles",
      ]),
    .testTarget(
      name: "DisplayTests",
      dependencies: [
        "Base", "Display", "EmulatedDisplay", "Hardware", "LineProtocol", "OneFixClient", "OwnerScreens", "Repository",
        "Requirements", "ScriptedGateways", "TemporaryFiles",
      ],
      exclude: ["Pictures"])),

  room(
    "Tests/Operations",
    .testTarget(
      name: "ConfigurationTests",
      dependencies: [
        "Base", "Configuration", "Decoding", "GNSS", "Hardware", "LineProtocol", "OperatingSystem", "Repository",
        "SeededNumbers", "TemporaryFiles", logging,
      ])),

  room(
    "Tests/Programs",
    .testTarget(
      name: "GatewayTests",
      dependencies: [
        "Authorization", "Base", "Cloaking", "ControlledBoard", "Decoding", "Disclosure", "GNSS", "Gateway",
        "Hardware", "LineProtocol", "OneFixClient", "OperatingSystem", "Ports", "RecordingClients", "Repository",
        "Requirements", "SeededNumbers", "Sentences", "Serving", "SimulatedHardware", "StateStore", "StoreScenario",
        "TemporaryFiles", logging, nioCore, nioPosix,
      ]),
    .testTarget(
      name: "GatewayPartTests",
      dependencies: [
        "Authorization", "Base", "ControlledBoard", "Decoding", "Disclosure", "Estimation", "GNSS", "Gateway",
        "Hardware", "LineProtocol", "OperatingSystem", "Ports", "RecordingClients", "SeededNumbers",
        "SimulatedHardware", "StateStore", "TemporaryFiles",
      ]),
    .testTarget(
      name: "FeatureTests",
      dependencies: [
        "Authorization", "Base", "Configuration", "ControlledBoard", "Decoding", "Disclosure", "Features", "GNSS",
        "Gateway", "Hardware", "LineProtocol", "OperatingSystem", "Ports", "PseudoTerminals",
        "RecordingClients", "Repository", "Requirements", "Serving", "StateStore", "TemporaryFiles", nioCore,
        nioEmbedded, nioPosix,
      ]),
    .testTarget(
      name: "MQTTBridgeTests",
      dependencies: [
        "Base", "Features", "GNSS", "LineProtocol", "Ports", "RecordingClients", "Requirements", logging, nioCore,
        nioPosix,
      ]),
    .testTarget(
      name: "OwnerPageTests",
      dependencies: [
        "Base", "Features", "Hardware", "LineProtocol", "OneFixClient", "OperatingSystem", "Ports", "RecordingClients",
        "Requirements", "ScriptedGateways", logging, nioCore, nioEmbedded, nioHTTP1, nioPosix,
      ]),
    .testTarget(
      name: "MachineChecksTests",
      dependencies: [
        "Base", "Configuration", "Features", "Hardware", "OperatingSystem", "Repository", "TemporaryFiles",
      ]),
    .testTarget(
      name: "OneFixDaemonTests",
      dependencies: [
        "Authorization", "Base", "Configuration", "Decoding", "Features", "Gateway", "Hardware", "LineProtocol",
        "Ports", "Repository", "StateStore", "TemporaryFiles", "onefixd", nioEmbedded,
      ]),
    .testTarget(
      name: "OneFixCommandTests",
      dependencies: [
        "Base", "Decoding", "GNSS", "Hardware", "LineProtocol", "OneFixClient", "OperatingSystem", "OwnerScreens",
        "PseudoTerminals", "Sentences", "TemporaryFiles", "onefix", argumentParser,
      ])),

  room(
    "Tests",
    // These tests start the programs. They do not depend on them, because SwiftPM would compile this target, the largest one,
    // only after linking them.
    .testTarget(
      name: "EndToEndTests",
      dependencies: [
        "Base", "CTestShims", "Decoding", "Display", "EmulatedDisplay", "Features", "LineProtocol", "OneFixClient",
        "PseudoTerminals", "RecordingClients", "Repository", "Requirements", "SeededNumbers", "Sentences",
        "SimulatedUBlox", nioCore, nioPosix,
      ],
      path: "EndToEnd", exclude: ["Page/browser.py"])),

  room(
    "Tests/Benchmarks",
    // The latency of an edge of a button: Scripts/bench latency.
    .executableTarget(
      name: "edge-latency",
      dependencies: ["Base", "Hardware", "LinuxHardware", "OperatingSystem", logging, nioCore, nioPosix],
      path: "EdgeLatency"),
    // The load of many subscribers: Scripts/bench fanout, crowd and idle.
    .executableTarget(name: "fan-out", path: "FanOut", exclude: ["fan_out.py"]),
    // Measures the errors of position estimates that adversaries make from approximate fixes: Scripts/bench privacy.
    .executableTarget(
      name: "privacy-bench", dependencies: ["Base", "Cloaking", "GNSS", "SeededNumbers"], path: "PrivacyBench"),
    // The errors of the filter for simulated and recorded tracks: Scripts/bench positioning.
    .executableTarget(
      name: "positioning-bench", dependencies: ["Base", "Decoding", "Estimation", "GNSS", "SeededNumbers"],
      path: "PositioningBench"),
    // The growth of the gateway's cost with its state: Scripts/bench growth.
    .executableTarget(
      name: "growth-bench",
      dependencies: [
        "Authorization", "Base", "CSQLite", "Cloaking", "ControlledBoard", "Disclosure", "Gateway", "Hardware",
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
    .library(name: "Base", targets: ["Base"]),
    .library(name: "GNSS", targets: ["GNSS"]),
    .library(name: "Decoding", targets: ["Decoding"]),
    .library(name: "LineProtocol", targets: ["LineProtocol"]),
    .library(name: "FuzzRules", targets: ["FuzzRules"]),
    .executable(name: "onefixd", targets: ["onefixd"]),
    .executable(name: "onefix", targets: ["onefix"]),
    .executable(name: "park-finder", targets: ["park-finder"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-log.git", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-nio.git", from: "2.86.0"),
  ],
  targets: Array((sources + tests).joined()),
  cxxLanguageStandard: .cxx17
)

for target in package.targets where ![.system, .plugin, .binary].contains(target.type) {
  var settings = strict + (target.swiftSettings ?? [])
  if optimized.contains(target.name) { settings += optimizer }
  if compilesWholeModules { settings += wholeModule + (target.type == .test ? noDebugInformation : []) }
  target.swiftSettings = settings
}
