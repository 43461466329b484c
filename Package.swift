// swift-tools-version: 6.2
import PackageDescription

/// Every target of ours is held to the same rules: the loop at the end applies them.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// For the parsers, which hold spans of the bytes that they read.
let spans: [SwiftSetting] = [.enableExperimentalFeature("Lifetimes")]

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let cryptoExtras = Target.Dependency.product(name: "CryptoExtras", package: "swift-crypto")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioTLS = Target.Dependency.product(name: "NIOTLS", package: "swift-nio")

let package = Package(
  name: "onefix",
  products: [
    .library(name: "OneFixClient", targets: ["OneFixClient"]),
    // The fuzzers and benchmarks are packages of their own and see only products.
    .library(name: "Clocks", targets: ["Clocks"]),
    .library(name: "GNSS", targets: ["GNSS"]),
    .library(name: "Estimation", targets: ["Estimation"]),
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
    .package(url: "https://github.com/apple/swift-crypto.git", from: "4.0.0"),
    .package(url: "https://github.com/apple/swift-log.git", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-nio.git", from: "2.86.0"),
    .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.36.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.8.0"),
  ],
  targets: [
    // Pure: values only, nothing but the standard library (and swift-crypto where there is a secret).
    .target(name: "Clocks"),
    .target(name: "Languages"),
    .target(name: "LogLevels"),
    .target(name: "Markup"),
    .target(name: "OpenMetrics"),
    .target(name: "GNSS", dependencies: ["Clocks"]),
    .target(name: "Framing", swiftSettings: spans),
    .target(name: "NMEA", dependencies: ["Clocks", "Framing", "GNSS"], swiftSettings: spans),
    .target(name: "UBX", dependencies: ["Clocks", "Framing", "GNSS"], swiftSettings: spans),
    .target(name: "ReceiverStream", dependencies: ["Clocks", "GNSS", "NMEA", "UBX"]),
    .target(name: "Estimation", dependencies: ["Clocks", "GNSS"]),
    .target(name: "Cloaking", dependencies: ["Clocks", "GNSS", crypto]),
    .target(name: "Authorization", dependencies: ["Clocks"]),
    .target(name: "Hexadecimal"),
    .target(name: "Handshake", dependencies: ["Hexadecimal", crypto]),
    .target(name: "LineProtocol", dependencies: ["Clocks", "GNSS", "Languages"], swiftSettings: spans),
    .target(name: "OwnerVerbs", dependencies: ["Languages", "LineProtocol"]),
    .target(name: "PrivacyReports", dependencies: ["Clocks", "LineProtocol", "Markup", "OwnerVerbs"]),
    .target(
      name: "OwnerPage",
      dependencies: ["Clocks", "Handshake", "Languages", "Markup", "OwnerVerbs", "PrivacyReports", crypto],
      resources: ["html", "css", "js"].map { .embedInCode("Resources/page.\($0)") }),
    .target(name: "Regions", dependencies: ["Clocks", "GNSS", "LineProtocol"]),
    .target(name: "Console", dependencies: ["Clocks", "Languages", "OwnerVerbs"]),
    .target(name: "TopScreen", dependencies: ["Clocks", "Console", "Languages", "LineProtocol", "OwnerVerbs"]),
    .target(name: "TrackFormats", dependencies: ["Clocks", "GNSS", "LineProtocol", "Markup", "NMEA", "UBX"]),
    .target(name: "Hardware", dependencies: ["Clocks", "GNSS", "Languages"]),
    .target(name: "GPSDProtocol", dependencies: ["Clocks", "LineProtocol"]),
    .target(name: "HomeAssistant", dependencies: ["LineProtocol"]),
    .target(name: "OwnTracks", dependencies: ["Clocks", "GNSS", "LineProtocol"]),

    // Shims and system libraries.
    .systemLibrary(name: "CGpiod", pkgConfig: "libgpiod", providers: [.apt(["libgpiod-dev"])]),
    .target(name: "CGpiodShim", dependencies: ["CGpiod"]),
    // libi2c (apt: libi2c-dev) has no .pc file.
    .target(name: "CI2CShim", linkerSettings: [.linkedLibrary("i2c")]),
    .target(name: "CPeerShim"),
    .target(name: "CSerialShim"),
    .systemLibrary(
      name: "CMosquitto", pkgConfig: "libmosquitto", providers: [.apt(["libmosquitto-dev"])]),
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .target(name: "CTOML"),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),

    // Adapters: each touches one outside thing.
    .target(name: "Gzip", dependencies: ["CZlib"]),
    .target(name: "SystemClock", dependencies: ["Clocks"]),
    .target(name: "SystemErrors"),
    .target(
      name: "SimulatedHardware",
      dependencies: ["Clocks", "Framing", "GNSS", "Gzip", "Hardware", "SystemClock", "SystemErrors"]),
    .target(
      name: "LinuxHardware",
      dependencies: [
        "CGpiodShim", "CI2CShim", "Clocks", "Framing", "Hardware", "SerialPorts", "SystemClock", "SystemErrors",
        logging, nioCore, nioPosix,
      ]),
    .target(name: "SerialPorts", dependencies: ["CSerialShim", "Hardware", "SystemErrors", nioCore, nioPosix]),
    .target(
      name: "GPSDClient",
      dependencies: [
        "Clocks", "GNSS", "GPSDProtocol", "Hardware", "SystemClock", "SystemErrors", nioCore, nioPosix,
      ]),
    .target(
      name: "StateStore",
      dependencies: ["Authorization", "CSQLite", "Clocks", "Hexadecimal", "SystemErrors", crypto]),
    .target(
      name: "BoardProfile",
      dependencies: [
        "Authorization", "CTOML", "Clocks", "GNSS", "Hardware", "Languages", "LogLevels", "SystemErrors", "UBX",
      ]),
    .target(name: "UnixDatagrams"),
    .target(name: "JournalLogging", dependencies: ["LogLevels", "UnixDatagrams", logging]),
    .target(name: "MetricsFile", dependencies: ["SystemErrors"]),
    .target(name: "PINHash", dependencies: ["Hexadecimal", "SystemErrors", crypto, cryptoExtras]),
    .target(name: "MachineChecks", dependencies: ["Authorization", "BoardProfile", "Hardware", "Languages"]),
    .target(name: "LinuxMachine", dependencies: ["BoardProfile", "LinuxHardware", "MachineChecks", "OpenMetrics"]),
    .target(name: "ServiceNotification", dependencies: ["Clocks", "SystemClock", "UnixDatagrams"]),
    .target(name: "LineFraming", dependencies: ["LineProtocol", nioCore]),
    .target(
      name: "LineServer",
      dependencies: [
        "Authorization", "CPeerShim", "Clocks", "Handshake", "Hardware", "Hexadecimal", "LineFraming", "LineProtocol",
        "SystemClock", "SystemErrors", crypto, logging, nioCore, nioPosix, nioSSL, nioTLS,
      ]),
    .target(
      name: "GPSDServer",
      dependencies: [
        "Authorization", "Clocks", "GPSDProtocol", "LineProtocol", "LineServer", "SystemClock", logging, nioCore,
        nioPosix,
      ]),
    .target(
      name: "MQTTBridge",
      dependencies: [
        "Authorization", "CMosquitto", "Clocks", "Handshake", "LineProtocol", "LineServer", "SystemClock",
        "SystemErrors", crypto, logging,
      ]),

    // The composition.
    .target(
      name: "Gateway",
      dependencies: [
        "Authorization", "Cloaking", "Clocks", "Estimation", "GNSS", "Hardware", "Hexadecimal", "Languages",
        "LineProtocol", "LineServer", "LogLevels", "NMEA", "OpenMetrics", "ReceiverStream", "Regions", "StateStore",
        "SystemClock", "UBX", logging, nioCore,
      ]),
    .executableTarget(
      name: "onefixd",
      dependencies: [
        "Authorization", "BoardProfile", "Cloaking", "Clocks", "Console", "ConsoleService", "GNSS", "GPSDClient",
        "GPSDServer", "Gateway", "Hardware", "HomeAssistant", "JournalLogging", "Languages", "LineProtocol",
        "LineServer", "LinuxHardware", "LinuxMachine", "LogLevels", "MQTTBridge", "MachineChecks", "MetricsFile",
        "OneFixClient", "OpenMetrics", "OwnTracks", "PINHash", "PageServer", "SerialPorts", "ServiceNotification",
        "SimulatedHardware", "StateStore", "SystemClock", "SystemErrors", "UBX", argumentParser, crypto,
        lifecycle,
        logging, nioCore, nioPosix,
      ]),

    // For host apps.
    .target(
      name: "OneFixClient",
      dependencies: [
        "Clocks", "GNSS", "Handshake", "Hexadecimal", "LineFraming", "LineProtocol", "SerialPorts", "SystemClock",
        "SystemErrors", crypto, nioCore, nioPosix, nioSSL,
      ]),
    .target(
      name: "ConsoleService",
      dependencies: [
        "Clocks", "Console", "Hardware", "Languages", "LineProtocol", "OneFixClient", "OwnerVerbs", "SystemClock",
      ]),
    .target(
      name: "PageServer",
      dependencies: [
        "Clocks", "ConsoleService", "Languages", "LineProtocol", "LineServer", "OneFixClient", "OwnerPage",
        "OwnerVerbs",
        "PrivacyReports", "SystemClock", logging, nioCore, nioHTTP1, nioPosix,
      ]),
    .executableTarget(
      name: "onefix",
      dependencies: [
        "Cloaking", "Clocks", "Console", "ConsoleService", "Estimation", "GNSS", "Gzip", "Hardware", "Languages",
        "LineProtocol", "Markup", "NMEA", "OneFixClient", "OwnerVerbs", "PrivacyReports", "ReceiverStream",
        "SystemClock", "SystemErrors",
        "TopScreen", "TrackFormats", "UBX", argumentParser, nioPosix,
      ]),
    .executableTarget(name: "park-finder", dependencies: ["GNSS", "OneFixClient", argumentParser]),

    // Tests.
    // What a test needs that not every machine has.
    .target(name: "Requirements", path: "Tests/Requirements"),
    // Numbers that are the same in every run.
    .target(name: "SeededNumbers", path: "Tests/SeededNumbers"),
    .target(name: "TemporaryFiles", path: "Tests/TemporaryFiles"),
    .testTarget(name: "ClocksTests", dependencies: ["Clocks"]),
    .testTarget(name: "LanguagesTests", dependencies: ["Languages", "SeededNumbers"]),
    .testTarget(name: "LogLevelsTests", dependencies: ["LogLevels"]),
    .testTarget(name: "OpenMetricsTests", dependencies: ["OpenMetrics"]),
    .testTarget(name: "JournalLoggingTests", dependencies: ["JournalLogging", "LogLevels", logging]),
    .testTarget(name: "MetricsFileTests", dependencies: ["MetricsFile"]),
    .testTarget(name: "FramingTests", dependencies: ["Framing"]),
    .testTarget(name: "NMEATests", dependencies: ["Clocks", "Framing", "GNSS", "NMEA"]),
    .target(name: "SimulatedUBlox", dependencies: ["Framing", "PseudoTerminals", "UBX"], path: "Tests/SimulatedUBlox"),
    .testTarget(name: "UBXTests", dependencies: ["Clocks", "GNSS", "SimulatedUBlox", "UBX"]),
    .testTarget(name: "ReceiverStreamTests", dependencies: ["Clocks", "GNSS", "NMEA", "ReceiverStream", "UBX"]),
    .testTarget(name: "AuthorizationTests", dependencies: ["Authorization", "Clocks", "SeededNumbers"]),
    .testTarget(
      name: "ConsoleTests",
      dependencies: ["Clocks", "Console", "Languages", "LineProtocol", "OwnerVerbs", "SeededNumbers"]),
    .testTarget(name: "GPSDProtocolTests", dependencies: ["Clocks", "GPSDProtocol", "LineProtocol", "SeededNumbers"]),
    .testTarget(
      name: "GPSDServerTests",
      dependencies: [
        "Clocks", "GPSDProtocol", "GPSDServer", "LineProtocol", "LineServer", nioCore, nioPosix,
        .product(name: "NIOEmbedded", package: "swift-nio"),
      ]),
    .testTarget(name: "HomeAssistantTests", dependencies: ["GPSDProtocol", "HomeAssistant", "LineProtocol"]),
    .testTarget(name: "OwnTracksTests", dependencies: ["Clocks", "GNSS", "GPSDProtocol", "LineProtocol", "OwnTracks"]),
    .testTarget(name: "EstimationTests", dependencies: ["Clocks", "Estimation", "GNSS", "SeededNumbers"]),
    .testTarget(name: "LineProtocolTests", dependencies: ["Clocks", "GNSS", "LineProtocol", "SeededNumbers"]),
    .testTarget(name: "OwnerVerbsTests", dependencies: ["Languages", "LineProtocol", "OwnerVerbs"]),
    .testTarget(
      name: "TopScreenTests",
      dependencies: ["Clocks", "Console", "Languages", "LineProtocol", "OwnerVerbs", "TopScreen"], exclude: ["Frames"]),
    .testTarget(
      name: "OwnerPageTests", dependencies: ["Clocks", "Hardware", "Languages", "OwnerPage", "OwnerVerbs"]),
    .testTarget(name: "PrivacyReportsTests", dependencies: ["Clocks", "LineProtocol", "OwnerVerbs", "PrivacyReports"]),
    .testTarget(name: "RegionsTests", dependencies: ["Clocks", "GNSS", "LineProtocol", "Regions", "SeededNumbers"]),
    .testTarget(
      name: "TrackFormatsTests", dependencies: ["Clocks", "GNSS", "LineProtocol", "NMEA", "TrackFormats", "UBX"]),
    .testTarget(
      name: "OneFixCommandTests",
      dependencies: [
        "CZlib", "Clocks", "GNSS", "Gzip", "Hardware", "LineProtocol", "NMEA", "PseudoTerminals", "TrackFormats", "UBX",
        "onefix", argumentParser,
      ]),
    .testTarget(name: "GzipTests", dependencies: ["CZlib", "Gzip"]),
    .testTarget(
      name: "LineFramingTests",
      dependencies: [
        "LineFraming", "LineProtocol", "SeededNumbers", nioCore, .product(name: "NIOEmbedded", package: "swift-nio"),
        .product(name: "NIOTestUtils", package: "swift-nio"),
      ]),
    .testTarget(name: "HexadecimalTests", dependencies: ["Hexadecimal"]),
    .testTarget(name: "HandshakeTests", dependencies: ["Handshake", crypto]),
    .testTarget(
      name: "OneFixClientTests",
      dependencies: ["GNSS", "Handshake", "LineProtocol", "OneFixClient", crypto, nioCore, nioPosix, nioSSL]),
    .testTarget(
      name: "LineServerTests",
      dependencies: [
        "Authorization", "CPeerShim", "Clocks", "GNSS", "Handshake", "LineProtocol", "LineServer", "SeededNumbers",
        logging, nioCore, nioPosix, .product(name: "NIOEmbedded", package: "swift-nio"),
      ]),
    .testTarget(
      name: "MQTTBridgeTests",
      dependencies: [
        "Clocks", "GNSS", "LineProtocol", "LineServer", "MQTTBridge", crypto, logging, nioCore, nioPosix,
      ]),
    .testTarget(
      name: "GatewayTests",
      dependencies: [
        "Authorization", "Cloaking", "Clocks", "GNSS", "Gateway", "Hardware", "LineFraming", "LineProtocol",
        "LineServer", "OneFixClient", "OpenMetrics", "SimulatedHardware", "SimulatedUBlox", "StateStore",
        "StoreScenario", "SystemClock", "UBX", logging, nioCore, nioPosix,
      ]),
    .testTarget(name: "HardwareTests", dependencies: ["Clocks", "Hardware", "Languages", "SeededNumbers"]),
    .testTarget(
      name: "StateStoreTests",
      dependencies: ["Authorization", "Clocks", "StateStore", "TemporaryFiles", crypto],
      exclude: ["Fixtures"]),
    .testTarget(
      name: "BoardProfileTests",
      dependencies: [
        "Authorization", "BoardProfile", "GNSS", "Hardware", "Languages", "LogLevels", "SeededNumbers",
        "TemporaryFiles", "UBX",
      ]),
    .testTarget(
      name: "ConsoleServiceTests", dependencies: ["Console", "ConsoleService", "Hardware", "OneFixClient"]),
    .testTarget(name: "PINHashTests", dependencies: ["PINHash"]),
    .testTarget(name: "ServiceNotificationTests", dependencies: ["ServiceNotification"]),
    .testTarget(name: "MachineChecksTests", dependencies: ["BoardProfile", "Hardware", "MachineChecks"]),
    .testTarget(
      name: "LinuxMachineTests",
      dependencies: ["BoardProfile", "LinuxMachine", "MachineChecks", "OpenMetrics", "TemporaryFiles"]),
    // A store's life, cut short at every moment.
    .target(name: "CRecordingVFS", dependencies: ["CSQLite"], path: "Tests/CRecordingVFS"),
    .target(
      name: "StoreScenario", dependencies: ["Authorization", "CRecordingVFS", "Clocks", "StateStore"],
      path: "Tests/StoreScenario"),
    .executableTarget(name: "store-scenario", dependencies: ["StoreScenario"], path: "Tests/StoreScenarioCommand"),
    .testTarget(
      name: "StoreDurabilityTests",
      dependencies: [
        "Authorization", "CTestShims", "Clocks", "Requirements", "SeededNumbers", "StateStore", "StoreScenario",
        "store-scenario",
      ]),
    .testTarget(name: "CloakingTests", dependencies: ["Cloaking", "Clocks", "GNSS", "SeededNumbers"]),
    .testTarget(
      name: "SimulatedHardwareTests",
      dependencies: ["CZlib", "Clocks", "GNSS", "Hardware", "SimulatedHardware", "SystemClock", "UBX"]),
    .target(name: "CTestShims", path: "Tests/CTestShims"),
    .target(name: "PseudoTerminals", dependencies: ["CTestShims"], path: "Tests/PseudoTerminals"),
    .testTarget(
      name: "GPSDClientTests",
      dependencies: ["Clocks", "GNSS", "GPSDClient", "Hardware", "PseudoTerminals", "Requirements", nioCore, nioPosix]),
    .testTarget(
      name: "LinuxHardwareTests",
      dependencies: [
        "CTestShims", "Clocks", "Framing", "GNSS", "Hardware", "LinuxHardware", "PseudoTerminals", "SerialPorts",
        "SimulatedUBlox", "SystemClock", "UBX", logging, nioCore, nioPosix,
      ]),
    // What any bytes may do to parsers that are no product, and what not: Scripts/fuzz. In Parsers are links to files of
    // adapters that would bring all of SwiftNIO with them.
    .target(
      name: "FuzzRules",
      dependencies: [
        "BoardProfile", "Clocks", "Console", "Framing", "GNSS", "GPSDProtocol", "Gzip", "Hardware", "LineProtocol",
        "OwnerVerbs",
      ], path: "Tests/FuzzRules"),
    // How long an edge takes: Scripts/bench latency.
    .executableTarget(
      name: "edge-latency",
      dependencies: ["Clocks", "Hardware", "LinuxHardware", "SystemClock", logging, nioCore, nioPosix],
      path: "Tests/EdgeLatency"),
    // What many subscribers see: Scripts/bench fanout, crowd and idle.
    .executableTarget(name: "fan-out", path: "Tests/FanOut", exclude: ["fan_out.py"]),
    // What adversaries make of approximate fixes: Scripts/bench privacy.
    .executableTarget(name: "privacy-bench", dependencies: ["Cloaking", "Clocks", "GNSS"], path: "Tests/PrivacyBench"),
    // What the filter makes of simulated and recorded tracks: Scripts/bench positioning.
    .executableTarget(
      name: "positioning-bench", dependencies: ["Clocks", "Estimation", "GNSS", "NMEA", "ReceiverStream"],
      path: "Tests/PositioningBench"),
    .testTarget(
      name: "EndToEndTests",
      dependencies: [
        "Authorization", "CTestShims", "LineProtocol", "LineServer", "MQTTBridge", "OneFixClient", "PseudoTerminals",
        "Requirements", "SeededNumbers", "SimulatedUBlox", "UBX", "onefix", "onefixd", "park-finder", crypto, logging,
        nioCore, nioPosix,
      ],
      exclude: ["browser.py"]),
  ],
  cxxLanguageStandard: .cxx17
)

for target in package.targets where ![.system, .plugin, .binary].contains(target.type) {
  target.swiftSettings = strict + (target.swiftSettings ?? [])
}
