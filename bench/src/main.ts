console.log('benchmarks follow');
