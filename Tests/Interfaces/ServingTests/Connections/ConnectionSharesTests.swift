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

  @Test func `an app that no rule names has a share like the apps of the rules, until its last connection ends`() {
    let shares = ConnectionShares(limit: 12)
    for (first, app) in [(0, AppID("other")), (100, Self.plotter), (200, Self.logger), (300, nil)] as [(UInt64, AppID?)]
    {
      #expect(fill(shares, with: app, from: first) == 3)
    }
    for (number, count) in [(0, 0), (1, 0), (2, 1)] as [(UInt64, Int)] {
      shares.remove(number)
      #expect(fill(shares, with: Self.plotter, from: 400 + number) == count)
    }
  }

  @Test func `without other apps, an app can have half of the connections, and an app in a new rule gets its share`() {
    let shares = ConnectionShares(limit: 12)
    #expect(fill(shares, with: Self.plotter, among: [Self.plotter], from: 0, atMost: 5) == 5)
    #expect(fill(shares, with: Self.plotter, from: 100) == 0, "a changed rule ends no connection")
    #expect(fill(shares, with: Self.logger, from: 200) == 4)
  }
}
