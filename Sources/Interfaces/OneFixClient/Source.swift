import LineProtocol
import Synchronization

/// One kind of news, and who listens to it.
final class Source<Element: Sendable & Equatable>: Sendable {
  enum Kind: Sendable {
    /// What the gateway retains: whoever listens is told the present state first.
    case state(Topic)
    /// A state that no topic tells.
    case ownState
    /// Only what comes from then on.
    case events(_ filter: String, sid: String)
  }

  private struct State {
    var latest: Element?
    var readers: [Mailbox<Element>] = []
    var isSubscribed = false
  }

  let kind: Kind
  private let state = Mutex(State())

  init(_ kind: Kind) { self.kind = kind }

  /// The filter and the id of its subscription; nil where no topic tells it.
  var subscription: (filter: String, sid: String)? {
    switch kind {
    case .state(let topic): (topic.rawValue, topic.rawValue)
    case .events(let filter, let sid): (filter, sid)
    case .ownState: nil
    }
  }

  /// Whether the gateway was asked for it.
  var isSubscribed: Bool {
    get { state.withLock { $0.isSubscribed } }
    set { state.withLock { $0.isSubscribed = newValue } }
  }

  /// What a loop may have waiting for it: all that has come of events, unless it is very slow.
  static var capacity: Int { 64 }

  func newReader() -> Mailbox<Element> {
    let mailbox = Mailbox<Element>(capacity: Self.capacity)
    state.withLock { state in
      if let latest = state.latest { mailbox.put(latest) }
      state.readers.append(mailbox)
    }
    return mailbox
  }

  func remove(_ reader: Mailbox<Element>) { state.withLock { $0.readers.removeAll { $0 === reader } } }

  /// Tells a state only where it is another than the last one.
  func tell(_ element: Element) {
    state.withLock { state in
      if case .events = kind {
        for reader in state.readers { reader.put(element) }
      } else if state.latest != element {
        state.latest = element
        for reader in state.readers { reader.put(element) }
      }
    }
  }

  func finish(_ error: ClientError?) {
    for reader in state.withLock({ $0.readers }) { reader.finish(error) }
  }
}

extension OneFixClient {
  /// What the app may know: first as it is, then whenever it changes.
  ///
  /// At most 64 values wait for a loop.
  public nonisolated var authorization: News<Authorization> { news(of: authorizations) }

  /// What the light shows that this app caused: first as it is, then whenever it changes.
  ///
  /// At most 64 values wait for a loop.
  public nonisolated var indicator: News<Indicator> { news(of: indications) }

  /// Whether there is a receiver: first as it is, then whenever it changes.
  ///
  /// At most 64 values wait for a loop.
  public nonisolated var receiver: News<Receiver> { news(of: receivers) }

  /// Whether there is a connection: first as it is, then whenever it changes. It throws where it was given up.
  ///
  /// At most 64 values wait for a loop.
  public nonisolated var connection: News<Connection> { news(of: connections) }

  /// Presses of the button that concern this app, or nobody in particular, from then on.
  ///
  /// They tell no place: that comes by ``requestOnce(_:armed:pressed:)``. At most 64 wait for a loop.
  public nonisolated var presses: News<PressNews> { news(of: pressNews) }

  /// Borders of the app's regions that the device crosses, from then on, where the app may always know, precisely.
  ///
  /// At most 64 wait for a loop. See ``addRegion(_:)``.
  public nonisolated var regionEvents: News<RegionEvent> { news(of: regionNews) }

  private nonisolated func news<Element>(of source: Source<Element>) -> News<Element> {
    News { () async throws(ClientError) -> Mailbox<Element> in
      try await self.listen(to: source)
    } close: {
      source.remove($0)
    }
  }

  private func listen<Element>(to source: Source<Element>) async throws(ClientError) -> Mailbox<Element> {
    if case .over(let error) = standing { throw error }
    let reader = source.newReader()
    do {
      try await subscribe(to: source)
    } catch {
      source.remove(reader)
      throw error
    }
    return reader
  }

  /// Asks the gateway for news, unless it was asked already.
  func subscribe<Element>(to source: Source<Element>) async throws(ClientError) {
    guard !source.isSubscribed, let (filter, sid) = source.subscription else { return }
    source.isSubscribed = true
    do {
      // Others may wait for its answer, too.
      _ = try await say(.subscribe(try Self.filter(filter), sid: sid, qos: nil), isCancellable: false)
    } catch {
      // While the gateway is away others may wait for the same news: the next connection asks for them.
      if error == .cancelled, case .away = standing { throw error }
      source.isSubscribed = false
      throw error
    }
  }

  /// Asks a new connection for news.
  func subscribe<Element>(_ source: Source<Element>, on link: Link) async throws(LinkError) {
    guard let (filter, sid) = source.subscription else { return }
    source.isSubscribed = true
    let topics: TopicFilter
    do { topics = try Self.filter(filter) } catch { return }
    _ = try await link.say(.subscribe(topics, sid: sid, qos: nil))
  }

  private static func filter(_ text: String) throws(ClientError) -> TopicFilter {
    do { return try TopicFilter(text) } catch { throw ClientError(error) }
  }
}
