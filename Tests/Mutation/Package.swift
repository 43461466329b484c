// swift-tools-version: 6.2
import PackageDescription

// Scripts/mutate builds this package. It is a package of its own, so that the products do not depend on swift-syntax.
let package = Package(
  name: "mutation",
  dependencies: [.package(url: "https://github.com/swiftlang/swift-syntax.git", from: "603.0.0")],
  targets: [
    .executableTarget(
      name: "mutations",
      dependencies: [
        .product(name: "SwiftOperators", package: "swift-syntax"),
        .product(name: "SwiftParser", package: "swift-syntax"),
        .product(name: "SwiftSyntax", package: "swift-syntax"),
      ],
      path: "Sources/Mutations",
      swiftSettings: [.swiftLanguageMode(.v6)])
  ]
)
