package import Base
package import LineProtocol

/// A value with an expiry time, stored for one app.
package protocol Expirable: Sendable {
  var app: AppID { get }
  /// The next instant at which the value expires or changes by time alone; nil if there is no such instant.
  var due: MonotonicInstant? { get }
}

/// A dictionary of values that expire. A heap of expiry times finds the next expiry fast, and an index finds the values
/// of one app fast.
package struct Expiring<Key: Hashable & Comparable & Sendable, Value: Expirable>: Sendable {
  private struct Expiry: Sendable {
    let due: MonotonicInstant
    let key: Key
  }

  private var content: [Key: Value] = [:]
  private var byApp: [AppID: Set<Key>] = [:]
  private var touched: Set<AppID> = []
  /// A binary min-heap of expiry times: the element at index n is not later than its children at 2n + 1 and 2n + 2. An
  /// element is outdated if its value was removed or got another expiry time. The first element is never outdated.
  private var heap: [Expiry] = []

  package var isEmpty: Bool { content.isEmpty }
  package var count: Int { content.count }
  package var keys: Dictionary<Key, Value>.Keys { content.keys }
  package var values: Dictionary<Key, Value>.Values { content.values }
  package var apps: Dictionary<AppID, Set<Key>>.Keys { byApp.keys }

  var nextDue: MonotonicInstant? { heap.first?.due }

  package subscript(key: Key) -> Value? {
    get { content[key] }
    _modify {
      let (formerApp, formerDue) = (content[key]?.app, content[key]?.due)
      defer {
        let (app, due) = (content[key]?.app, content[key]?.due)
        if app != formerApp { move(key, from: formerApp, to: app) }
        if due != formerDue { update(key, due) }
        if let app = app ?? formerApp { touched.insert(app) }
      }
      yield &content[key]
    }
  }

  package func keys(of app: AppID) -> [Key] { (byApp[app] ?? []).sorted() }

  package func values(of app: AppID) -> [Value] { keys(of: app).compactMap { content[$0] } }

  package func hasValues(of app: AppID) -> Bool { byApp[app] != nil }

  mutating func removeValue(forKey key: Key) -> Value? {
    let value = content[key]
    self[key] = nil
    return value
  }

  /// Returns the keys of the values that are due at an instant or earlier.
  func keys(dueAt instant: MonotonicInstant) -> Set<Key> {
    var keys: Set<Key> = []
    var indices = [0]
    while let index = indices.popLast() {
      guard index < heap.count, heap[index].due <= instant else { continue }
      if isCurrent(heap[index]) { keys.insert(heap[index].key) }
      indices += [2 * index + 1, 2 * index + 2]
    }
    return keys
  }

  /// Returns the apps whose values changed since the previous call of this function.
  mutating func takeTouchedApps() -> Set<AppID> {
    defer { touched = [] }
    return touched
  }

  private mutating func move(_ key: Key, from former: AppID?, to app: AppID?) {
    if let former {
      byApp[former]?.remove(key)
      if byApp[former]?.isEmpty == true { byApp[former] = nil }
    }
    if let app { byApp[app, default: []].insert(key) }
  }

  // MARK: The heap

  private func isCurrent(_ expiry: Expiry) -> Bool { content[expiry.key]?.due == expiry.due }

  private mutating func update(_ key: Key, _ due: MonotonicInstant?) {
    if let due { insert(Expiry(due: due, key: key)) }
    // Outdated elements are removed when they are first, or when they are the majority.
    while let first = heap.first, !isCurrent(first) { removeFirst() }
    guard heap.count > 2 * content.count else { return }
    let current = content.compactMap { key, value in value.due.map { Expiry(due: $0, key: key) } }
    heap = current.sorted { $0.due < $1.due }
  }

  private mutating func insert(_ expiry: Expiry) {
    heap.append(expiry)
    var index = heap.count - 1
    while index > 0, heap[index].due < heap[(index - 1) / 2].due {
      heap.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  private mutating func removeFirst() {
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    var index = 0
    while let child = [2 * index + 1, 2 * index + 2].filter({ $0 < heap.count }).min(by: { heap[$0].due < heap[$1].due }
    ),
      heap[child].due < heap[index].due
    {
      heap.swapAt(index, child)
      index = child
    }
  }
}

extension Expiring: Sequence {
  package func makeIterator() -> Dictionary<Key, Value>.Iterator { content.makeIterator() }
}
