// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// LW_CLONES: compile a hot loop once per x86-64 level and choose at load time.
//
// Every clone computes the same bits: the project is built with -ffp-contract=off, a loop has no reassociation, and a
// fused multiply-add happens only where the source says so. Thread sanitizer cannot run the resolvers, so it gets the
// baseline.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__)
#define LW_CLONES __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define LW_CLONES
#endif

// For what a clone must inline to vectorise.
#define LW_INLINE inline __attribute__((always_inline))
