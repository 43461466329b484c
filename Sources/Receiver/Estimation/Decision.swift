/// The part of the filter that rejects outliers and selects the estimate to report.
extension HorizontalFilter {
  /// Updates the filter with a measured position, and returns the position to report. An outlier has little effect on
  /// the filter. Returns nil if the filter must restart at the measured position.
  mutating func decide(_ observation: Observation) -> Estimate? {
    let byPositions = positions.innovation(of: observation.position, variance: observation.variance)
    let byDoppler = doppler?.innovation(of: observation.position, variance: observation.variance)
    if let byDoppler { judgeDoppler(observation, byDoppler, byPositions) }
    // If the filter trusts Doppler, each of the two hypotheses can accept the position. If Doppler also leads, only the
    // hypothesis with Doppler velocities can accept the position.
    let trusted = trust.isTrusted ? doppler : nil
    let leads = trusted != nil && observation.step != nil && trust.leads
    /// Returns whether at least one usable estimate is close enough to the measured position. `variance` is the
    /// variance of the position's white noise in m².
    func isAccepted(_ variance: Double) -> Bool {
      [trusted == nil ? nil : byDoppler, leads ? nil : byPositions].contains {
        $0.map { $0.offset.squared <= parameters.gate * ($0.predicted + variance) } ?? false
      }
    }
    let positionsAccept = byPositions.squared <= parameters.gate
    let dopplerAccepts = trusted != nil && byDoppler.map { $0.squared <= parameters.gate } ?? false
    let (isAccepted, isUsual) = (isAccepted(observation.variance), isAccepted(observation.usual))
    let isFree = fixes < parameters.freeFixes
    // Wrong velocities lead away from the positions. So if the positions return to the path along the velocities, the
    // velocities were right, and the positions between were wrong.
    if trusted == nil, let doppler, let path {
      returned = isFar(observation, from: path) ? 0 : returned + observation.seconds
      if returned >= parameters.agreed { return recover(observation, doppler.velocity) }
    }
    if !isAccepted {
      // The first positions contradict each other, so no motion explains all of them. The filter restarts.
      if isFree { return nil }
      let confirmed = alternative.reject(
        observation, beginning: beginning(observation), leading, usesDoppler: doppler != nil, parameters)
      if let doppler, alternative.isRecovery {
        // The distances from the replaced hypothesis do not show the error of the new one.
        (residuals, resting) = (RunningMedian(), RestingPosition())
        return recover(observation, doppler.velocity)
      }
      if let confirmed, !leads {
        if trusted != nil { trust.lose(parameters) }
        return replace(by: confirmed, observation)
      }
    }
    let isOutlier = !positionsAccept && !dopplerAccepts
    positions.update(byPositions, noise: isOutlier ? byPositions.noise(at: parameters.gate) : nil)
    if let byDoppler {
      if !dopplerAccepts, positionsAccept, trusted == nil {
        doppler?.adoptPosition(of: positions)
      } else {
        // A position that has just been found has an error that lasts, so that the mean of such positions is wrong.
        let usual = observation.variance + ((observation.speed ?? 0) < parameters.restMost ? settlingVariance : 0)
        doppler?.update(byDoppler, noise: dopplerAccepts ? usual : byDoppler.noise(at: parameters.gate))
      }
    }
    if trusted != nil { (path, returned) = (doppler?.position, 0) }
    let reported = (dopplerAccepts || !isAccepted ? trusted.flatMap { _ in doppler } : nil) ?? positions
    if isAccepted { alternative = Alternative(velocity: reported.velocity) }
    // The receiver's own position is better if the receiver has already filtered it.
    let hasFiltered = observation.white < parameters.ownShare * observation.deviation
    let isOwnBest = isUsual && (!hasSettled || hasFiltered && (!isAtRest || observation.white <= parameters.holding))
    return isFree || isOwnBest ? receiversOwn(observation.deviation) : estimate(reported, observation.deviation)
  }

  /// Restarts the filter at a measured position, and uses the reported velocities again. The receiver has recovered
  /// from wrong positions.
  ///
  /// - Parameter velocity: the velocity at this position in m/s.
  private mutating func recover(_ observation: Observation, _ velocity: Offset) -> Estimate? {
    trust.regain()
    let beginning = Hypothesis(
      at: observation.position, velocity: velocity, noise: observation.variance, sigma: sigma, velocityVariance: 1)
    return replace(by: beginning, observation)
  }

  /// Replaces the filter's estimates with `hypothesis`, and returns the receiver's own position for the report. Returns
  /// nil if the position is too far from the origin of the plane, so that the filter must restart.
  private mutating func replace(by hypothesis: Hypothesis, _ observation: Observation) -> Estimate? {
    positions = hypothesis
    if doppler != nil { doppler = hypothesis }
    alternative = Alternative(velocity: hypothesis.velocity)
    // At a large distance from its origin, the plane differs too much from the ground.
    return observation.position.length > Self.farthest ? nil : receiversOwn(observation.deviation)
  }

  /// Compares the reported velocities with the positions. The function stops the use of the velocities if the
  /// contradiction lasts too long.
  private mutating func judgeDoppler(
    _ observation: Observation, _ byDoppler: Innovation, _ byPositions: Innovation
  ) {
    guard let doppler else { return }
    // If the epoch has no usable velocity, the code uses the latest velocity. In this case the comparison may reduce
    // the trust in the Doppler velocities, but it must not increase the trust.
    let latest = byDoppler.squared > byPositions.squared ? doppler.velocity.length : 0
    trust.compare(
      doppler: byDoppler, positions: byPositions, said: observation.speed ?? latest, moved: positions.velocity.length,
      after: observation.seconds, parameters)
    // The hypothesis with Doppler velocities can attribute a slowly growing distance to the receiver error. But the
    // receiver error has a known standard deviation, so such a distance must end.
    let isFar = isFar(observation, from: doppler.position) || trust.leads && byDoppler.squared > parameters.gate
    contradicted = isFar && trust.isTrusted ? contradicted + observation.seconds : 0
    if contradicted > parameters.longestContradiction { trust.lose(parameters) }
  }

  /// Returns whether a measured position is too far from `truth` (the assumed true position) for the usual error of the
  /// receiver.
  private func isFar(_ observation: Observation, from truth: Offset) -> Bool {
    (observation.position - truth).squared > parameters.gate * (sigma * sigma + observation.variance)
  }

  /// Returns a new estimate that starts at a rejected position, with an uncertain velocity.
  private func beginning(_ observation: Observation) -> Hypothesis {
    // The hypothesis that rejects the position may have a completely wrong velocity. So the error of the velocity may
    // be as large as the velocity itself.
    let unknown = max(parameters.unknownVelocity, positions.velocity.length)
    return Hypothesis(
      at: observation.position, velocity: positions.velocity, noise: observation.variance,
      sigma: sigma, velocityVariance: unknown * unknown)
  }

  /// Whether the receiver is at rest. The filter then reports a constant position.
  var isAtRest: Bool { resting.mean != nil && doppler != nil && trust.isTrusted && age >= parameters.settlingRest }
}
