import LineProtocol
import Testing

@testable import Serving

@Suite struct ConnectionSharesTests {
  private static let (plotter, logger) = (AppID("plotter")!, AppID("logger")!)

  /// Adds connections until the share is full, at most as many as given. Returns the number of added connections.
  private func fill(
    _ shares: ConnectionShares, with app: AppID?, among apps: Set<AppID> = [plotter, logger], from first: UInt64,
    atMost most: Int = 1000
  ) -> Int {
    (0..<most).first { shares.add(first + UInt64($0), of: app, among: apps) != nil } ?? most
  }

  @Test(arguments: [(9, 3), (10, 3), (11, 3), (12, 4), (3, 1), (2, 1), (1, 1)])
  func `each app and all clients without an app have the same share, which is at least one connection`(
    limit: Int, share: Int
  ) {
    let shares = ConnectionShares(limit: limit)
    for (first, app) in [(0, Self.plotter), (1000, Self.logger), (2000, nil)] as [(UInt64, AppID?)] {
      #expect(fill(shares, with: app, from: first) == share)
      #expect(shares.add(first + 999, of: app, among: [Self.plotter, Self.logger]) == share, "the share is the cause")
    }
  }

  @Test func `a connection that ends leaves room for one connection of its app, and a refused connection for none`() {
    let shares = ConnectionShares(limit: 9)
    #expect(fill(shares, with: Self.plotter, from: 0) == 3)
    shares.remove(999)
    shares.remove(3)
    #expect(fill(shares, with: Self.plotter, from: 10) == 0)
    for _ in 0..<2 { shares.remove(1) }
    #expect(fill(shares, with: Self.plotter, from: 20) == 1)
    #expect(fill(shares, with: Self.logger, from: 30) == 3)
  }

  @Test func `an app that no rule names takes no connection from the apps of the rules`() {
    let shares = ConnectionShares(limit: 12)
    let other = AppID("other")!
    #expect(fill(shares, with: other, from: 0) == 3)
    #expect(fill(shares, with: Self.plotter, from: 100) == 3)
    #expect(fill(shares, with: Self.logger, from: 200) == 3)
    #expect(fill(shares, with: nil, from: 300) == 3)
  }

  @Test func `an app that no rule names has a share until its last connection ends`() {
    let shares = ConnectionShares(limit: 12)
    let other = AppID("other")!
    #expect(fill(shares, with: other, from: 0, atMost: 2) == 2)
    shares.remove(0)
    #expect(fill(shares, with: Self.plotter, from: 100) == 3)
    shares.remove(1)
    #expect(fill(shares, with: Self.plotter, from: 200) == 1)
  }

  @Test func `without other apps, an app can have half of the connections, and an app in a new rule gets its share`() {
    let shares = ConnectionShares(limit: 12)
    #expect(fill(shares, with: Self.plotter, among: [Self.plotter], from: 0, atMost: 5) == 5)
    #expect(fill(shares, with: Self.plotter, from: 100) == 0, "a changed rule ends no connection")
    #expect(fill(shares, with: Self.logger, from: 200) == 4)
  }
}
