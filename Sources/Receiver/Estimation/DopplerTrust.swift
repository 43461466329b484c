#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Whether the Doppler velocities are believed: a sequential test between the model that uses them and the model that does
/// not.
///
/// The score is twice the logarithm of the likelihood ratio of both models; negative values speak for Doppler. (A. Wald,
/// "Sequential Tests of Statistical Hypotheses", 1945). Each loss of trust doubles the evidence that regains it: the fault
/// of a receiver comes back.
struct DopplerTrust: Hashable, Sendable {
  private(set) var isTrusted = true
  private var score = 0.0
  /// The score after the next loss of trust, and its upper limit.
  private var most: Double

  init(_ parameters: FilterParameters) { most = parameters.distrust }

  /// Whether Doppler has proved better, so that the other model may not accept a position that Doppler rejects.
  var leads: Bool { isTrusted && score < 0 }

  /// Compares the innovations of one position.
  /// - Parameters:
  ///   - doppler: the innovation of the model that uses Doppler.
  ///   - positions: the innovation of the model that does not.
  ///   - said: speed by which the model that uses Doppler moves, m/s; 0 if it must not count.
  ///   - moved: speed of the model that does not use Doppler, m/s.
  mutating func compare(
    doppler: Innovation, positions: Innovation, said: Double, moved: Double, after seconds: Double,
    _ parameters: FilterParameters
  ) {
    // If both reject the position, the position is wrong.
    guard min(doppler.squared, positions.squared) <= parameters.gate else { return }
    func cost(_ innovation: Innovation) -> Double {
      min(innovation.squared, parameters.gate) + 2 * log(innovation.variance)
    }
    let evidence = (cost(doppler) - cost(positions)) * min(1, seconds)
    // A speed of 0 is right for a receiver at rest, whatever is wrong with it: only motion proves velocities.
    let speed = evidence < 0 ? said : max(said, moved - parameters.slowSpeed)
    score += evidence * min(1, speed / parameters.fullSpeed)
    score = max(-parameters.mostTrust, min(score, most))
    if isTrusted, score > parameters.trustLost { lose(parameters) }
    if !isTrusted, score < parameters.trustRegained { isTrusted = true }
  }

  /// Ends the trust, because the positions agree with each other against Doppler.
  mutating func lose(_ parameters: FilterParameters) {
    isTrusted = false
    score = most
    most = min(2 * most, parameters.mostDistrust)
  }

  /// Ends the trust for long, because the course is wrong.
  mutating func loseCourse(_ parameters: FilterParameters) {
    most = min(4 * most, parameters.mostDistrust)
    lose(parameters)
  }
}
