import LineProtocol
import Synchronization

/// One kind of notification, and its readers.
final class Broadcaster<Element: Sendable & Equatable>: Sendable {
  enum Kind: Sendable {
    /// A state that the gateway retains: a new reader receives the present state first.
    case state(Topic)
    /// A state of the client, which has no topic.
    case ownState
    /// Events from the subscription on.
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

  /// The filter and the id of the subscription; nil if there is no topic.
  var subscription: (filter: String, sid: String)? {
    switch kind {
    case .state(let topic): (topic.rawValue, topic.rawValue)
    case .events(let filter, let sid): (filter, sid)
    case .ownState: nil
    }
  }

  /// Whether the client has subscribed.
  var isSubscribed: Bool {
    get { state.withLock { $0.isSubscribed } }
    set { state.withLock { $0.isSubscribed = newValue } }
  }

  /// The number of elements that may wait for a reader.
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

  /// Sends an element to all readers; a state only if it has changed.
  func send(_ element: Element) {
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
  /// The authorization of the app: first the present value, then each change.
  ///
  /// Each loop has a buffer of 64 values.
  public nonisolated var authorization: News<Authorization> { news(of: authorizations) }

  /// The state of the indicator, as far as this app caused it: first the present value, then each change.
  ///
  /// Each loop has a buffer of 64 values.
  public nonisolated var indicator: News<Indicator> { news(of: indications) }

  /// Whether the receiver is present: first the present value, then each change.
  ///
  /// Each loop has a buffer of 64 values.
  public nonisolated var receiver: News<Receiver> { news(of: receivers) }

  /// The state of the connection: first the present value, then each change. The sequence throws when the client stops
  /// connecting.
  ///
  /// Each loop has a buffer of 64 values.
  public nonisolated var connection: News<Connection> { news(of: connections) }

  /// The presses of the button from now on that concern this app, or no app in particular.
  ///
  /// Presses carry no position. ``requestOnce(_:armed:pressed:)`` returns the position. Each loop has a buffer of 64
  /// values.
  public nonisolated var presses: News<PressNews> { news(of: pressNews) }

  /// The border crossings of the app's regions from now on. An app receives them if it is authorized at any time with
  /// full accuracy.
  ///
  /// Each loop has a buffer of 64 values. See ``addRegion(_:)``.
  public nonisolated var regionEvents: News<RegionEvent> { news(of: regionNews) }

  private nonisolated func news<Element>(of source: Broadcaster<Element>) -> News<Element> {
    News { () async throws(ClientError) -> Mailbox<Element> in
      try await self.listen(to: source)
    } close: {
      source.remove($0)
    }
  }

  private func listen<Element>(to source: Broadcaster<Element>) async throws(ClientError) -> Mailbox<Element> {
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

  /// Subscribes, unless the client has subscribed already.
  func subscribe<Element>(to source: Broadcaster<Element>) async throws(ClientError) {
    guard !source.isSubscribed, let (filter, sid) = source.subscription else { return }
    source.isSubscribed = true
    do {
      // Other readers may wait for the answer, too.
      _ = try await say(.subscribe(try Self.filter(filter), sid: sid, qos: nil), isCancellable: false)
    } catch {
      // Other readers may wait while the gateway is away: the next connection subscribes.
      if error == .cancelled, case .away = standing { throw error }
      source.isSubscribed = false
      throw error
    }
  }

  /// Subscribes on a new connection.
  func subscribe<Element>(_ source: Broadcaster<Element>, on link: Link) async throws(LinkError) {
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
