/// The decision about a measured position: which hypotheses accept the position, which hypothesis leads, and which
/// position is reported.
extension HorizontalFilter {
  /// The innovations of the hypotheses, and the decisions that follow from the innovations. (An innovation is the
  /// difference between a measured position and its prediction.)
  private struct Judgement {
    let positions: Innovation
    let doppler: Innovation?
    /// `usesDoppler` tells whether the filter trusts the hypothesis with Doppler velocities. If only `usesDoppler` is
    /// true, each of the two hypotheses can accept the position. If `dopplerLeads` is also true, only the hypothesis
    /// with Doppler velocities can accept the position.
    let usesDoppler, dopplerLeads: Bool
    /// Whether the filter has just begun. In this case no position counts as an outlier.
    let isFree: Bool
    let positionsAccept: Bool
    var dopplerAccepts: Bool
    /// Both flags tell whether a trusted hypothesis accepts the position. `isAccepted` takes the additional noise of
    /// this epoch into account. `isUsual` is stricter: it takes only the usual noise into account.
    var isAccepted, isUsual: Bool

    var leading: Innovation { (usesDoppler ? doppler : nil) ?? positions }
  }

  /// Decides whether the hypotheses accept a position, updates them, and returns the position to report. Returns nil if
  /// the filter must restart at the position.
  mutating func decide(_ observation: Observation) -> Estimate? {
    let judgement = judge(observation)
    // The first positions contradict each other, so no motion explains all of them. The filter restarts.
    if judgement.isFree, !judgement.isAccepted { return nil }
    if let estimate = tryAlternative(observation, judgement) {
      // At a large distance from its origin, the plane differs too much from the ground.
      return observation.place.length > Self.farthest ? nil : estimate
    }
    updatePositions(observation, judgement)
    updateDoppler(judgement)
    let reported = hypothesis(for: judgement)
    if judgement.isAccepted { alternative = Alternative(at: observation.place, velocity: reported.velocity) }
    return isReceiversOwnBest(observation, judgement)
      ? receiversOwn(observation.deviation) : estimate(reported, observation.deviation)
  }

  private mutating func judge(_ observation: Observation) -> Judgement {
    let (place, gate) = (observation.place, parameters.gate)
    let byPositions = positions.innovation(of: place, variance: observation.variance)
    let byDoppler = doppler?.innovation(of: place, variance: observation.variance)
    addResidual(observation)
    if let doppler, let byDoppler {
      // If the epoch has no usable velocity, the code uses the latest velocity. In this case the comparison may reduce
      // the trust in the Doppler velocities, but it must not increase the trust.
      let latest = byDoppler.squared > byPositions.squared ? doppler.velocity.length : 0
      trust.compare(
        doppler: byDoppler, positions: byPositions, said: observation.speed ?? latest, moved: positions.velocity.length,
        after: observation.seconds, parameters)
    }
    let usesDoppler = doppler != nil && trust.isTrusted
    var judgement = Judgement(
      positions: byPositions, doppler: byDoppler, usesDoppler: usesDoppler,
      dopplerLeads: usesDoppler && observation.step != nil && trust.leads, isFree: fixes < parameters.freeFixes,
      positionsAccept: byPositions.squared <= gate,
      dopplerAccepts: usesDoppler && byDoppler.map { $0.squared <= gate } ?? false,
      isAccepted: false, isUsual: false)
    func isUsual(_ hypothesis: Hypothesis) -> Bool {
      hypothesis.innovation(of: place, variance: observation.usual).squared <= gate
    }
    judgement.isAccepted = judgement.dopplerAccepts || judgement.positionsAccept && !judgement.dopplerLeads
    judgement.isUsual =
      judgement.isAccepted
      && (usesDoppler && doppler.map(isUsual) ?? false || !judgement.dopplerLeads && isUsual(positions))
    // Some receivers report a constant position while they are at rest. When the motion begins, the reported position
    // moves in one large step. This step must not count as an outlier.
    if isHeld(observation), let byDoppler, byDoppler.offset.length <= 2 * observation.deviation {
      (judgement.isAccepted, judgement.isUsual, judgement.dopplerAccepts) = (true, true, true)
    }
    return judgement
  }

  /// Replaces the leading hypothesis by the alternative hypothesis, if the rejected positions are confirmed.
  private mutating func tryAlternative(
    _ observation: Observation, _ judgement: Judgement
  ) -> Estimate? {
    guard !judgement.isAccepted else { return nil }
    let step = judgement.dopplerLeads ? observation.step : nil
    // The hypothesis that rejects the position may have a completely wrong velocity. So the error of the velocity may
    // be as large as the velocity itself.
    let unknown = max(parameters.unknownVelocity, positions.velocity.length)
    let beginning = Hypothesis(
      at: observation.place, velocity: step?.velocity ?? positions.velocity, noise: observation.variance,
      sigma: observation.error.sigma, velocityVariance: step == nil ? unknown * unknown : 1)
    guard
      let hypothesis = alternative.reject(
        observation, beginning: beginning, dopplerLeads: judgement.dopplerLeads, parameters)
    else { return nil }
    if judgement.usesDoppler { trust.lose(parameters) }
    positions = hypothesis
    if doppler != nil { doppler = hypothesis }
    alternative = Alternative(at: observation.place, velocity: hypothesis.velocity)
    return receiversOwn(observation.deviation)
  }

  // MARK: Update

  private mutating func updatePositions(
    _ observation: Observation, _ judgement: Judgement
  ) {
    let innovation = judgement.positions
    if judgement.positionsAccept ? innovation.squared > parameters.doubt : judgement.dopplerAccepts {
      positions.accelerate(toExplain: innovation, as: parameters.doubt, after: observation.seconds)
      positions.update(innovation)
    } else if judgement.positionsAccept {
      positions.update(innovation)
    } else {
      positions.update(innovation, limitedTo: parameters.gate)
    }
  }

  private mutating func updateDoppler(_ judgement: Judgement) {
    guard let innovation = judgement.doppler else { return }
    if judgement.dopplerAccepts {
      doppler?.update(innovation)
    } else if judgement.positionsAccept, !judgement.usesDoppler {
      doppler?.adoptPosition(of: positions)
    } else {
      doppler?.update(innovation, limitedTo: parameters.gate)
    }
  }

  // MARK: Output

  private func hypothesis(for judgement: Judgement) -> Hypothesis {
    let usesDoppler = judgement.usesDoppler && (judgement.dopplerAccepts || !judgement.isAccepted)
    return (usesDoppler ? doppler : nil) ?? positions
  }

  /// Returns whether the filter reports the receiver's own position. The filter reports it if two conditions are true:
  /// a hypothesis accepted the position with the usual noise, and the receiver itself has already filtered the
  /// position.
  private func isReceiversOwnBest(
    _ observation: Observation, _ judgement: Judgement
  ) -> Bool {
    if judgement.isFree { return true }
    let hasFiltered = observation.white < parameters.ownShare * observation.deviation
    let isMovingOrHeld = !isAtRest || isHeld(observation)
    return judgement.isUsual && (!hasSettled || hasFiltered && isMovingOrHeld)
  }

  private var isAtRest: Bool { standstill.isAtRest && trust.isTrusted }

  /// Returns whether the receiver itself keeps its reported position constant while it is at rest.
  private func isHeld(_ observation: Observation) -> Bool {
    isAtRest && observation.white <= (observation.speed == 0 ? parameters.holdingAtZero : parameters.holding)
  }
}
